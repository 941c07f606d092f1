package inspect

import (
	"fmt"
	"strings"
	"testing"

	"windowed/internal/event"
	"windowed/window"
)

// sampleOf is a sample of JSON documents of one partition, without timestamps.
func sampleOf(documents ...string) *Sample {
	s := &Sample{Format: "json", Profile: NewProfile()}
	s.Decoder = func(m *event.Mapping) (event.Reader, error) { return m.NewDecoder() }
	for _, d := range documents {
		s.Records = append(s.Records, Record{Record: event.Record{Value: []byte(d), Timestamp: -1}})
		s.Profile.AddJSON([]byte(d))
	}
	return s
}

// many are n documents that format makes of their number.
func many(n int, format func(i int) string) []string {
	var all []string
	for i := range n {
		all = append(all, format(i))
	}
	return all
}

func hour(t testing.TB) window.Size {
	t.Helper()
	size, err := window.ParseSize(3_600_000_000_000)
	if err != nil {
		t.Fatal(err)
	}
	return size
}

// fields are the fields of a profile, a line each.
func fields(p *Profile) string {
	var text strings.Builder
	for _, f := range p.Fields {
		fmt.Fprintf(&text, "%s: %d", f.Path, f.Records)
		for k, n := range f.Kinds {
			if n > 0 {
				fmt.Fprintf(&text, " %v=%d", Kind(k), n)
			}
		}
		if len(f.Examples) > 0 {
			fmt.Fprintf(&text, " %q", f.Examples)
		}
		text.WriteByte('\n')
	}
	return text.String()
}

func check(t *testing.T, what, have, want string) {
	t.Helper()
	if have != want {
		t.Errorf("%s:\nhave %s\nwant %s", what, have, want)
	}
}
