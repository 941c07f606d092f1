package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// The plain Go consumer judges lateness as everybody must: its answer is the truth.
func TestMapConsumerIsRight(t *testing.T) {
	w := small()
	cmd := consumeCmd{Form: "map", Window: w.Window, Grace: w.Grace}
	c, err := cmd.consumer()
	if err != nil {
		t.Fatal(err)
	}
	for p := range w.Partitions {
		for line := range bytes.Lines(textOf(w, p)) {
			if err := c.take(&kgo.Record{Partition: int32(p), Value: line}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if v := compare(truthOf(w).Answer, c.answer()); !v.Exact() {
		t.Errorf("its answer is %s", &v)
	}
}

func TestDecodingConsumerRefuses(t *testing.T) {
	cmd := consumeCmd{Form: "decode"}
	c, err := cmd.consumer()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.take(&kgo.Record{Value: []byte(`{"items":[{"drink":"a","quantity":0}]}`)}); err == nil {
		t.Error("it took an order that is none")
	}
}

func TestMiddle(t *testing.T) {
	wrong := Verdict{AllTime: Difference{Counts: 1}}
	for _, c := range []struct {
		name  string
		brief time.Duration
		runs  []Run
		want  float64 // speed
		took  int     // runs
	}{
		{"not brief", time.Second, []Run{{Speed: 1000}, {Speed: 1}}, 1000, 1},
		{"brief", time.Second, []Run{{Speed: 1001}, {Speed: 9}, {Speed: 2000}, {Speed: 1}}, 1001, 3},
		{"brief, the middle last", time.Second, []Run{{Speed: 3000}, {Speed: 9}, {Speed: 2000}}, 2000, 3},
		{"no matter", 0, []Run{{Speed: 5000}, {Speed: 1}}, 5000, 1},
		{"wrong", time.Second, []Run{{Speed: 3000}, {Speed: 7, Verdict: wrong}, {Speed: 2000}}, 7, 2},
	} {
		n := 0
		r, err := middle(c.brief, 1000, func(first bool) (Run, error) {
			if first != (n == 0) {
				t.Errorf("%s: run %d, first %t", c.name, n+1, first)
			}
			n++
			return c.runs[n-1], nil
		})
		if err != nil || r.Speed != c.want || n != c.took {
			t.Errorf("%s: speed %g after %d runs, %v; want %g after %d", c.name, r.Speed, n, err, c.want, c.took)
		}
	}
}

func TestAnswerFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "answer.tsv")
	want := Answer{allTime: {"a b": 3, "c": 1}, "-3600000": {"a b": 2}}
	if err := writeAnswer(file, want); err != nil {
		t.Fatal(err)
	}
	got, err := readAnswer(file)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
	// Contestants with partial counts write one line for each part.
	if err := os.WriteFile(file, []byte("all\ta\t1\nall\ta\t2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if got, err := readAnswer(file); err != nil || got[allTime]["a"] != 3 {
		t.Errorf("parts: %v, %v", got, err)
	}
	for _, bad := range []string{"all\ta\n", "all\ta\t-1\n"} {
		if err := os.WriteFile(file, []byte(bad), 0o644); err != nil {
			t.Fatal(err)
		}
		if got, err := readAnswer(file); err == nil {
			t.Errorf("%q was read as %v", bad, got)
		}
	}
}

func TestChangelogKeepsLast(t *testing.T) {
	value := func(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
	last := map[int32]map[string]uint64{}
	for _, r := range []*kgo.Record{
		{Partition: 0, Key: []byte("a:b:all"), Value: value(1)},
		{Partition: 0, Key: []byte("a:b:all"), Value: value(5)},
		{Partition: 1, Key: []byte("a:b:all"), Value: value(2)},
		{Partition: 1, Key: []byte("a:3600000"), Value: value(2)},
		{Partition: 1, Key: []byte("a:0"), Value: value(9)},
		{Partition: 1, Key: []byte("a:0")}, // a tombstone
		{Partition: 1, Key: []byte{control, 'm'}, Value: []byte("meta")},
	} {
		if err := keepLast(last, r); err != nil {
			t.Fatal(err)
		}
	}
	want := Answer{allTime: {"a:b": 7}, "3600000": {"a": 2}}
	if got := sumUp(last); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if err := keepLast(last, &kgo.Record{Key: []byte("a:all"), Value: []byte("1")}); err == nil {
		t.Error("a count of one byte was taken")
	}
}

func TestProcessFigures(t *testing.T) {
	const stat = "42 (a) name) 1) S 1 42 42 0 -1 4194304 100 0 0 0 250 50 0 0 20 0 9 0 1 2 3"
	if cpu, err := cpuOf(stat); err != nil || cpu != 3 {
		t.Errorf("CPU %v, %v, want 3 s", cpu, err)
	}
	if cpu, err := cpuOf("42 (a) S 1"); err == nil {
		t.Errorf("CPU %v of a text that has none", cpu)
	}
	if rss, err := peakOf("Name:\ta\nVmHWM:\t   1000 kB\nVmRSS:\t 5 kB\n"); err != nil || rss != 1_024_000 {
		t.Errorf("peak %v, %v", rss, err)
	}
	if rss, err := peakOf("Name:\ta\n"); err == nil {
		t.Errorf("peak %v of a text that has none", rss)
	}
}

// puppet is a contestant that is a shell script.
type puppet struct{ script string }

func (p puppet) name() string { return "puppet" }

func (p puppet) start(_ context.Context, f *field) (entrant, error) {
	return speak(f, true, nil, "/bin/sh", "-c", p.script, "sh")
}

func TestRace(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("CPU time and memory are read from /proc")
	}
	truth := &Truth{Orders: 10, Answer: Answer{allTime: {"a": 3}}}
	race := func(script string, limit time.Duration) Run {
		f := &field{dir: t.TempDir(), truth: truth}
		return race(t.Context(), puppet{script}, f, limit, nil)
	}
	const answer = `echo first 1; sleep 0.05; echo done; read go; file=${1#--answer=}; `
	r := race(answer+`printf 'all\ta\t3\n' >"$file"; echo answered`, time.Minute)
	if !r.Right() || !r.Counts || r.RSS == 0 || r.Speed <= 0 {
		t.Errorf("a good run: %+v", r)
	}
	r = race(answer+`printf 'all\ta\t2\n' >"$file"; echo answered`, time.Minute)
	if r.Err != nil || r.Right() || r.Verdict.AllTime.Missing != 1 {
		t.Errorf("a wrong answer: %+v", r)
	}
	r = race(`echo first 1; echo oh no >&2; exit 3`, time.Minute)
	if r.Err == nil || !strings.Contains(r.Err.Error(), "oh no") || !strings.Contains(r.Err.Error(), "exit status 3") {
		t.Errorf("a crash: %v", r.Err)
	}
	r = race(`echo first 1; exec sleep 600`, 100*time.Millisecond)
	if !errors.Is(r.Err, errLimit) || r.Right() {
		t.Errorf("one that hangs: %v", r.Err)
	}
}
