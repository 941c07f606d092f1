package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestReported has streams that others reported to be counted wrong elsewhere, by the
// numbers of the collection, with what must come of them here.
func TestReported(t *testing.T) {
	orders := func(times ...string) string {
		var text strings.Builder
		for _, at := range times {
			fmt.Fprintf(&text, `{"at":%s,"name":"x"}`+"\n", at)
		}
		return text.String()
	}
	users := `{"at":"2021-09-01 20:02:00,025","user":"UserA","game":"Games","n":%s}
{"at":"2021-09-01 20:02:01,239","user":"UserA","game":"Games","n":%s}
{"at":"2021-09-01 20:02:07,581","user":"UserA","game":"Games","n":%s}
`
	const at = "--time-field=at --name=name "
	seconds := strings.Repeat("1605626494\n", 10)
	for _, c := range []struct {
		id, text, flags, want, summary string
	}{
		// A window's start is a multiple of its size, by floor division, whatever the time.
		{"C11", orders("1709315512577"), at + "--window=700ms", "2024-03-01T17:51:52.100Z\t1\tx\t1\n", `"counted":1,"late":0`},
		{"C11 before 1970", orders("-1", "-700", "-701"), at + "--window=700ms --grace=1s", "1969-12-31T23:59:58.600Z\t1\tx\t1\n1969-12-31T23:59:59.300Z\t1\tx\t2\n", `"counted":3,"late":0`},
		{"C11 the first and last years", orders(`"1678-01-01T00:00:00Z"`, `"2261-12-31T23:59:59.999Z"`), at + "--window=8784h", "1677-05-24T00:00:00Z\t1\tx\t1\n2261-08-09T00:00:00Z\t1\tx\t1\n", `"counted":2,"late":0`},
		// A unit that is wrong is refused, not windowed in January 1970.
		{"C15", orders(strings.Fields(seconds)...), at + "--window=5s", "", `"counted":0,"late":0,"portions":0,"invalid":{"malformed":10},"examples":{"malformed":"record 1: at: 1605626494 would be in the year 1970 as ms; as s it is plausible: --time-unit=s"}}`},
		{"C15 the right unit", orders(strings.Fields(seconds)...), at + "--time-unit=s --window=5s", "2020-11-17T15:21:30Z\t1\tx\t10\n", `"counted":10`},
		// Microseconds are cut, and the order of the records is theirs.
		{"C18", orders(`"2020-11-17T15:21:34.471001"`, `"2020-11-17T15:21:34.471002"`, `"2020-11-17T15:21:34.471005"`, `"2020-11-17T15:21:34.471007"`, `"2020-11-17T15:21:34.471009"`, `"2020-11-17T15:21:34.471010"`),
			at + "--window=1ms", "2020-11-17T15:21:34.471Z\t1\tx\t6\n", `"counted":6,"late":0`},
		// What nobody asked for may be any number.
		{"C19", `{"some": 327267367867168100000, "more": -1e400, "at":1709315512577,"name":"x"}` + "\n", at, "2024-03-01T17:00:00Z\t1\tx\t1\n", `"counted":1`},
		// A null or empty name is refused, a record of its own each.
		{"C22", `{"at":1709315512577,"name":null}` + "\n" + `{"at":1709315512577,"name":""}` + "\n" + orders("1709315512577"), at, "2024-03-01T17:00:00Z\t1\tx\t1\n", `"counted":1,"late":0,"portions":1,"invalid":{"invalid_drink":2},"examples":{"invalid_drink":"record 1: name: is missing"}}`},
		{"C23", fmt.Sprintf(users, "25", "50", "80"), "--time-field=at --name=user,game --quantity=n --window=5s", "2021-09-01T20:02:00Z\t1\tUserA Games\t75\n2021-09-01T20:02:05Z\t1\tUserA Games\t80\n", `"counted":3`},
		// The design counts whole things: 25.0 is refused rather than taken for 25, as 25.5 is.
		{"C23 with decimals", fmt.Sprintf(users, "25.0", "50.0", "80.0"), "--time-field=at --name=user,game --quantity=n --window=5s", "", `"invalid":{"invalid_quantity":3},"examples":{"invalid_quantity":"record 1: n: 25.0 is not a whole number"}}`},
	} {
		t.Run(c.id, func(t *testing.T) {
			file := written(t, "a.jsonl", c.text)
			for range 2 { // to the byte
				got := call(append([]string{"replay", "--scope=windows", file}, strings.Fields(c.flags)...)...)
				if got.code != 0 || got.out != c.want || !strings.Contains(got.err, c.summary) {
					t.Errorf("exit %d, %s%s\nnot %s%s", got.code, got.out, got.err, c.want, c.summary)
				}
			}
		})
	}
}
