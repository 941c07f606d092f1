package window

import (
	"testing"
	"time"

	"pgregory.net/rapid"
)

func TestScopeString(t *testing.T) {
	cases := []struct {
		scope Scope
		want  string
	}{
		{AllTime, "all-time"},
		{Scope{}, "1970-01-01T00:00:00Z"},
		{At(1772359200000), "2026-03-01T10:00:00Z"},
		{At(1772359200001), "2026-03-01T10:00:00.001Z"},
		{At(1772359200100), "2026-03-01T10:00:00.100Z"},
		{At(1709315512000), "2024-03-01T17:51:52Z"},
		{At(-1), "1969-12-31T23:59:59.999Z"},
		{At(-1000), "1969-12-31T23:59:59Z"},
		{At(-1001), "1969-12-31T23:59:58.999Z"},
		{At(year1), "0001-01-01T00:00:00Z"},
		{At(year1 - 1), "0000-12-31T23:59:59.999Z"}, // a window may begin before the year 1
		{At(year9999), "9999-12-31T23:59:59.999Z"},
	}
	for _, c := range cases {
		if got := c.scope.String(); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.scope, got, c.want)
		}
	}
}

func TestFormatTimeReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := times().Draw(t, "ms")
		text := FormatTime(ms)
		back, err := time.Parse(time.RFC3339Nano, text)
		if err != nil || back.UnixMilli() != ms {
			t.Fatalf("%s is %v, %v, want %d", text, back, err, ms)
		}
		if whole := len(text) == len("2006-01-02T15:04:05Z"); whole != (ms%1000 == 0) {
			t.Fatalf("milliseconds in %s of %d", text, ms)
		}
	})
}
