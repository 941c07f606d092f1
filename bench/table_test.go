package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
)

// wrongBy is a verdict that is wrong.
func wrongBy(missing uint64) Verdict {
	return Verdict{AllTime: Difference{Portions: 200}, Windows: Difference{Portions: 200, Missing: missing, Counts: 1}}
}

func TestTable(t *testing.T) {
	good := Run{First: time.Second, Speed: 600_000, CPU: 1.5, RSS: 100e6, Counts: true}
	slow := Run{First: 2 * time.Second, Speed: 60_000, CPU: 15, RSS: 800e6, Counts: true}
	lossy := slow
	lossy.Verdict = wrongBy(94)
	results := []Result{
		{Name: "ours", Runs: []Run{good, good}},
		{Name: "slow", Runs: []Run{slow, slow}},
		{Name: "lossy", Runs: []Run{slow, lossy}}, // one wrong round is enough
		{Name: "hung", Runs: []Run{{Err: fmt.Errorf("%w of 3m0s", errLimit)}}},
		{Name: "broken", Runs: []Run{{Err: errors.New("it ended | badly\nwith a log")}}},
		{Name: "absent", Note: "left out: no mvn here"},
	}
	rows := strings.Split(strings.TrimSpace(table(results)), "\n")
	want := [][]string{
		{"ours", "exact", "600,000", "1.5", "100 MB", "1.00 s", "-", "-", "-"},
		{"slow", "exact", "60,000", "15", "800 MB", "2.00 s", "10 x", "10 x", "8 x"},
		{"lossy", "wrong: windows lack 94 portions (47.00 %)", "-", "-", "-", "-", "-", "-", "-"},
		{"hung", "not done within its time of 3m0s", "-", "-", "-", "-", "-", "-", "-"},
		{"broken", "failed: it ended / badly", "-", "-", "-", "-", "-", "-", "-"},
		{"absent", "left out: no mvn here", "-", "-", "-", "-", "-", "-", "-"},
	}
	if len(rows) != len(want)+2 {
		t.Fatalf("%d lines:\n%s", len(rows), strings.Join(rows, "\n"))
	}
	for i, cells := range want {
		got := strings.Split(strings.Trim(rows[i+2], "| "), "|")
		for k := range got {
			got[k] = strings.TrimSpace(got[k])
		}
		if strings.Join(got, "|") != strings.Join(cells, "|") {
			t.Errorf("row %d is\n%q, want\n%q", i, got, cells)
		}
	}

	text := wrongs(results)
	for _, part := range []string{"lossy, exact; then wrong: windows lack 94 portions", "60,000 orders/s", "10 x"} {
		if !strings.Contains(text, part) {
			t.Errorf("what is told of wrong answers lacks %q:\n%s", part, text)
		}
	}
	if strings.Contains(text, "slow") || strings.Contains(text, "hung") {
		t.Errorf("it tells of answers that are right, or none:\n%s", text)
	}
}

// Machines drift: a ratio is taken within a round.
func TestRatioIsWithinRounds(t *testing.T) {
	a := Result{Runs: []Run{{Speed: 100}, {Speed: 50}, {Speed: 20}}}
	b := Result{Runs: []Run{{Speed: 10}, {Speed: 5}, {Speed: 1}}}
	if got := ratio(&a, &b, speedOf); got != 10 {
		t.Errorf("ratio %v, want 10", got)
	}
}

func TestCompare(t *testing.T) {
	want := Answer{allTime: {"a": 10, "b": 5}, "0": {"a": 10}, "100": {"b": 5}}
	same := Answer{allTime: {"a": 10, "b": 5}, "0": {"a": 10}, "100": {"b": 5}}
	if v := compare(want, same); !v.Exact() || v.String() != "exact" || v.AllTime.Portions != 15 {
		t.Errorf("the same answer: %+v", v)
	}
	for name, c := range map[string]struct {
		got  Answer
		text string
	}{
		"too few":        {Answer{allTime: {"a": 10, "b": 5}, "0": {"a": 7}, "100": {"b": 5}}, "wrong: windows lack 3 portions (20.00 %)"},
		"no window":      {Answer{allTime: {"a": 10, "b": 5}, "0": {"a": 10}}, "wrong: windows lack 5 portions (33.33 %)"},
		"one too many":   {Answer{allTime: {"a": 11, "b": 5}, "0": {"a": 10}, "100": {"b": 5}}, "wrong: all time have 1 portions (6.67 %) too many"},
		"another drink":  {Answer{allTime: {"a": 10, "b": 5, "c": 1}, "0": {"a": 10}, "100": {"b": 5}}, "wrong: all time have 1 portions (6.67 %) too many"},
		"another window": {Answer{allTime: {"a": 10, "b": 5}, "0": {"a": 10}, "200": {"b": 5}}, "wrong: windows lack 5 portions (33.33 %) and have 5 portions (33.33 %) too many"},
		"nothing":        {nil, "wrong: all time lack 15 portions (100.00 %), windows lack 15 portions (100.00 %)"},
	} {
		if v := compare(want, c.got); v.Exact() || v.String() != c.text {
			t.Errorf("%s: %s, want %s", name, &v, c.text)
		}
	}
}

func TestTopOf(t *testing.T) {
	top := topOf(map[string]uint64{"b": 2, "a": 2, "c": 3, "d": 1}, 3)
	if fmt.Sprint(top) != "[{c 3} {a 2} {b 2}]" {
		t.Errorf("top 3: %v", top)
	}
}

func TestTexts(t *testing.T) {
	for got, want := range map[string]string{
		thousands(0): "0", thousands(-1234567): "-1,234,567", thousands(999): "999",
		speed(3_794_512): "3,790,000", speed(87.4): "87", speed(123_456): "123,000",
		megabytes(104_857_600): "105 MB", times(0.0834): "0.083 x", times(12.6): "13 x",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	if m := median([]float64{5, 1, 3}); m != 3 {
		t.Errorf("median %v", m)
	}
	if m := median([]float64{4, 1, 3, 2}); m != 2.5 {
		t.Errorf("median of four %v", m)
	}
	if q := quantile([]float64{3, 1, 2, 4}, 0.99); q != 4 {
		t.Errorf("p99 %v", q)
	}
}
