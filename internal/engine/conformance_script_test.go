package engine

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"

	"windowed/internal/event"
	"windowed/state"
	"windowed/window"
)

// script is one case: a job, and what happened since the last line.
type script struct {
	*job
	unit   string
	tokens map[[2]int64]string // partition and offset -> the record as written
	staged map[int]*Batch
	out    strings.Builder
	told   [2]int // outputs and dead letters already written
}

func newScript(t *testing.T, d *datadriven.TestData) *script {
	s := &script{unit: "ms", tokens: map[[2]int64]string{}, staged: map[int]*Batch{}}
	d.MaybeScanArgs(t, "unit", &s.unit)
	partitions := 1
	d.MaybeScanArgs(t, "partitions", &partitions)
	span := func(name string, otherwise int64) int64 {
		if !d.HasArg(name) {
			return otherwise
		}
		var text string
		d.ScanArgs(t, name, &text)
		ms, err := parseSpan(text)
		if err != nil {
			d.Fatalf(t, "%s: %v", name, err)
		}
		return ms
	}
	cfg := Config{
		Window: window.Size(span("window", 0)), Grace: span("grace", 0), Retention: span("retention", math.MaxInt32),
		IdleTimeout: span("idle", 0), MaxFuture: span("max-future", 1<<50), Top: 10, Flush: 1,
		Order: event.Config{TimeField: "ts"},
	}
	d.MaybeScanArgs(t, "top", &cfg.Top)
	if d.HasArg("amend") {
		cfg.Late = AmendLate
	}
	s.job = newJob(t, cfg, partitions)
	return s
}

// parseSpan reads a duration: milliseconds, or with a unit.
func parseSpan(text string) (int64, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n, nil
	}
	d, err := time.ParseDuration(text)
	return d.Milliseconds(), err
}

// run runs the lines of a case; what each line led to is written behind its number.
func (s *script) run(input string) string {
	n := 0
	for line := range strings.Lines(input) {
		fields := strings.Fields(line)
		if len(fields) == 0 || fields[0][0] == '#' {
			continue
		}
		n++
		s.line(fields)
		s.tell(n)
	}
	if s.out.Len() == 0 {
		return "nothing\n"
	}
	return s.out.String()
}

func (s *script) line(f []string) {
	switch command := f[0]; command {
	case "wall":
		s.now = s.time(f[1])
	case "idle":
		s.job.idle(s.partition(f[1]))
	case "reopen":
		s.drop()
		s.reopen()
	case "rebuild":
		s.drop()
		s.rebuild()
	case "end":
		s.finish()
	case "stage":
		// Read but not committed yet.
		p := s.partition(f[1])
		s.staged[p] = s.read(p, s.records(p, f[2:])...)
	case "commit":
		s.job.commit(s.staged, &Emission{})
		clear(s.staged)
		s.settle()
	case "abort":
		s.drop()
	case "json":
		p := s.partition(f[1])
		s.feed(p, s.record(p, strings.Join(f[2:], " "), []byte(strings.Join(f[2:], " ")), -1))
	case "spread":
		s.spread(f[1])
	default:
		if !s.show(f) {
			p := s.partition(command)
			s.feed(p, s.records(p, f[1:])...)
		}
	}
}

// drop forgets what is not committed; the next line of a partition stands for the same
// records again.
func (s *script) drop() {
	for p := range s.staged {
		meta, _ := s.st.Meta(int32(p))
		s.next[p] = meta.Next
	}
	clear(s.staged)
}

// show writes what a line asks for; false: it is not such a line.
func (s *script) show(f []string) bool {
	switch f[0] {
	case "windows":
		from, to := int64(math.MinInt64), int64(math.MaxInt64)
		if len(f) == 3 {
			from, to = s.time(f[1]), s.time(f[2])
		}
		s.windows(from, to)
	case "all-time":
		fmt.Fprintf(&s.out, "all-time%s\n", entries(s.allTime()))
	case "rows":
		from, to := atoi(f[1]), atoi(f[2])
		top, err := s.st.Top(window.AllTime, to)
		s.must(err)
		fmt.Fprintf(&s.out, "rows %d to %d%s\n", from, to, entries(top[from-1:]))
	case "time":
		m, _ := s.st.Meta(int32(s.partition(f[1])))
		fmt.Fprintf(&s.out, "%s is at %s, closed through %s\n", f[1], s.format(m.Time.Watermark), s.format(m.Time.CloseThrough))
	case "next":
		m, _ := s.st.Meta(int32(s.partition(f[1])))
		fmt.Fprintf(&s.out, "%s goes on at offset %d\n", f[1], m.Next)
	case "minimum":
		fmt.Fprintf(&s.out, "minimum %s\n", s.format(s.lowest()))
	case "late":
		t := s.st.Totals()
		fmt.Fprintf(&s.out, "counted %d, late %d, by idleness %d, invalid %d\n", t.Counted, t.Late, t.LateIdle, t.InvalidRecords())
	default:
		return false
	}
	return true
}

func atoi(text string) int {
	n, err := strconv.Atoi(text)
	if err != nil {
		panic(err)
	}
	return n
}

func (s *script) partition(name string) int {
	p, err := strconv.Atoi(strings.TrimPrefix(name, "p"))
	if err != nil || p >= len(s.parts) || name[0] != 'p' {
		s.t.Fatalf("%q is no partition", name)
	}
	return p
}

// records reads "drink@time", "drink*quantity@time" and "drink@time#times".
func (s *script) records(p int, tokens []string) []Record {
	var all []Record
	for _, token := range tokens {
		what, times, _ := strings.Cut(token, "#")
		at := strings.LastIndexByte(what, '@')
		drink, quantity, _ := strings.Cut(what[:at], "*")
		ts := strconv.Quote(what[at+1:])
		if !strings.Contains(what[at+1:], "T") {
			ts = strconv.FormatInt(s.time(what[at+1:]), 10)
		}
		value := fmt.Appendf(nil, `{"ts":%s,"items":[{"drink":%q,"quantity":%s}]}`, ts, drink, cmp.Or(quantity, "1"))
		for range atoi(cmp.Or(times, "1")) {
			all = append(all, s.record(p, what, value, -1))
		}
	}
	return all
}

func (s *script) record(p int, token string, value []byte, timestamp int64) Record {
	r := Record{Offset: s.next[p], Record: event.Record{Timestamp: timestamp, Value: value}}
	s.tokens[[2]int64{int64(p), r.Offset}] = token
	s.next[p]++
	return r
}

// spread deals 120 drinks with many ties out to the partitions.
func (s *script) spread(at string) {
	for i := range 120 {
		p := i % len(s.parts)
		s.feed(p, s.records(p, []string{fmt.Sprintf("d%03d*%d@%s", i, 1+i*7%5, at)})...)
	}
}

// tell writes what came out since the last line.
func (s *script) tell(n int) {
	for ; s.told[1] < len(s.dead); s.told[1]++ {
		d := s.dead[s.told[1]]
		fmt.Fprintf(&s.out, "%d: %v %s\n", n, d.Reason, s.tokens[[2]int64{int64(d.Partition), d.Offset}])
	}
	for ; s.told[0] < len(s.outputs); s.told[0]++ {
		o := s.outputs[s.told[0]]
		fmt.Fprintf(&s.out, "%d: %s", n, s.bounds(o.Scope.Start))
		if o.Revision > 0 {
			fmt.Fprintf(&s.out, " revision %d", o.Revision)
		}
		fmt.Fprintf(&s.out, "%s\n", entries(o.Top))
	}
}

// windows writes the windows the state still has, in time order.
func (s *script) windows(from, to int64) {
	all, err := s.st.Windows(from, to, math.MaxInt)
	s.must(err)
	slices.Reverse(all)
	for _, w := range all {
		g, _ := s.st.Global()
		top, err := s.st.Top(window.At(w.Start), s.cfg.Top)
		s.must(err)
		fmt.Fprintf(&s.out, "%v %s%s\n", s.cfg.Lifecycle().State(w.Start, g.CloseThrough, s.st.NewestClosed()), s.bounds(w.Start), entries(top))
	}
}

func (s *script) bounds(start int64) string {
	return "[" + s.format(start) + "," + s.format(s.cfg.Window.End(start)) + ")"
}

func entries(top []state.Entry) string {
	var b strings.Builder
	for _, e := range top {
		fmt.Fprintf(&b, " %s=%d", e.Drink, e.Count)
	}
	return b.String()
}

// time reads a time in the unit of the case.
func (s *script) time(text string) int64 {
	if s.unit == "clock" {
		layout := "15:04:05"
		day := int64(0)
		if d, rest, ok := strings.Cut(text, "d"); ok {
			day, text = int64(atoi(d)), rest
		}
		if strings.Count(text, ":") == 1 {
			layout = "15:04"
		}
		at, err := time.Parse(layout, text)
		s.must(err)
		return day*24*60*60*1000 + at.AddDate(1970, 0, 0).UnixMilli()
	}
	n, err := strconv.ParseInt(text, 10, 64)
	s.must(err)
	return n * s.factor()
}

func (s *script) factor() int64 {
	switch s.unit {
	case "s":
		return 1000
	case "min":
		return 60_000
	}
	return 1
}

func (s *script) format(ms int64) string {
	switch {
	case ms == window.None:
		return "none"
	case s.unit == "clock":
		return time.UnixMilli(ms).UTC().Format("15:04:05")
	case s.unit == "rfc":
		return window.FormatTime(ms)
	}
	return strconv.FormatInt(ms/s.factor(), 10)
}
