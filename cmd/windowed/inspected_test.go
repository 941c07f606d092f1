package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestInspectOutput has the report of a file, to the letter.
func TestInspectOutput(t *testing.T) {
	var visits, sales strings.Builder
	for i := range 40 {
		fmt.Fprintf(&visits, `{"when":%d,"page":"/%c","user":{"id":"u%d"}}`+"\n", 1772360150520000+int64(i*i%13)*600_000_000, 'a'+i%5, i)
		fmt.Fprintf(&sales, "%d;%02d.03.2026 10:%02d;Tee;%d,50\n", i+1, 1+i%28, i, i%7)
	}
	visits.WriteString("{\"page\":\n{\"when\":1,\"page\":\"/a\"}\n")
	visitsFile, salesFile := written(t, "it's.ndjson", visits.String()), written(t, "sales.csv", "Nr;Zeit;Artikel;Betrag\n"+sales.String())
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{visitsFile}, 0, `42 records of json, 1 of them unreadable

PATH     IN      KINDS   EXAMPLES
when     100 %   number  1772360150520000  1772360750520000  1772362550520000
page     100 %   text    /a  /b  /c
user     97.6 %  object  
user.id  97.6 %  text    u0  u1  u2

time      when (number of us), in 100 % of the records
count     page: 5 different
  or      user.id: 40 different
counted   41 records, 97.6 %
refused   1 records, 2.38 %, as malformed: page: unexpected EOF at byte 8
order     31 records are earlier than one before them, by up to 492324h15m50.52s
          --grace=0s loses 31 records from their windows, 75.6 %
          --grace=30m loses 20 records from their windows, 48.8 %
          --grace=1h loses 19 records from their windows, 46.3 %
          --grace=3h loses 1 records from their windows, 2.44 %
          --grace=492324h15m50.52s loses 0 records from their windows, 0 %

to count them:

  windowed replay --time-field=when --time-unit=us --items= --name=page --quantity=1 --grace=3h '` + strings.Replace(visitsFile, "'", `'\''`, 1) + `'
`},
		{[]string{salesFile, "--time-zone=Europe/Berlin"}, 0, `40 records of csv

PATH     IN     KINDS   EXAMPLES
Nr       100 %  number  1  2  3
Zeit     100 %  text    01.03.2026 10:00  02.03.2026 10:01  03.03.2026 10:02
Artikel  100 %  text    Tee
Betrag   100 %  text    0,50  1,50  2,50

names     the first row; --header=no if it is a record
time      Zeit (layout 02.01.2006 15:04, without zone), in 100 % of the records
count     Betrag: 7 different
  or      Nr: 40 different
counted   40 records, 100 %
order     12 records are earlier than one before them, by up to 647h59m0s
          --grace=0s loses 12 records from their windows, 30 %
          --grace=720h loses 0 records from their windows, 0 %

to count them:

  windowed replay --delimiter=';' --time-field=Zeit --time-layout='02.01.2006 15:04' --time-zone=Europe/Berlin --items= --name=Betrag --quantity=1 --grace=720h ` + salesFile + `
`},
		{[]string{written(t, "none.json", "")}, 3, "0 records of json\n\nwindowed: no record could be read\n"},
		{[]string{written(t, "rows.txt", "a,b\n1,2\n")}, 3, "2 records of json, 2 of them unreadable\n\n          no record could be read as JSON; if they are rows, say --format=csv or --format=tsv\n\nwindowed: no record could be read as JSON; if they are rows, say --format=csv or --format=tsv\n"},
	} {
		got := call(append([]string{"inspect"}, c.args...)...)
		if have := got.out + got.err; got.code != c.code || have != c.want {
			t.Errorf("%v: exit %d\n%s\nnot %d\n%s", c.args, got.code, have, c.code, c.want)
		}
	}
	got := call("inspect", "-o", "json", visitsFile)
	got.must(t, 0, `{"schema":"windowed.inspect/v1","format":"json","records":42,"unreadable":1,"fields":[{"path":"","records":41,"kinds":{"object":41},"examples":[]},{"path":"when","records":41,"kinds":{"number":41},`)
	got.must(t, 0, `"times":[{"path":"when","unit":"us"}],"choices":[{"items":"","name":"page","quantity":"1","distinct":5},`)
	got.must(t, 0, `"counted":41,"refused":{"malformed":{"records":1,"example":"page: unexpected EOF at byte 8"}},"out_of_order":31,`)
	got.must(t, 0, `"late_by_grace":[{"grace_ms":0,"late":31},`)
	call("inspect", "-o", "json", salesFile).must(t, 0, `"times":[{"path":"Zeit","unit":"ms","layout":"02.01.2006 15:04","without_zone":true}]`)
	call("inspect", "-o", "tsv", visitsFile).must(t, 0, "user.id\t40\ttext\tu0 u1 u2\n")
}
