package main

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"windowed/internal/files"
	"windowed/internal/kafka"
	"windowed/internal/metrics"
)

// listen is a loopback address that is free.
func listen(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestProgress goes through a minute of work: in place on a terminal, a line every ten
// seconds elsewhere.
func TestProgress(t *testing.T) {
	began := time.Unix(0, 0)
	work := func(p *progress, share bool) {
		for tenth := range 600 {
			done := -1.0
			if share {
				done = float64(tenth) / 600
			}
			p.at(int64(tenth)*1000, done, began.Add(time.Duration(tenth)*100*time.Millisecond))
		}
		p.end()
	}
	var plain strings.Builder
	work(newProgress(&plain, "restoring", "records", began), true)
	lines := strings.Split(strings.TrimSpace(plain.String()), "\n")
	if len(lines) != 5 || lines[0] != "restoring  17 %  100,000 records, 10,000/s, 50s left" || lines[4] != "restoring  83 %  500,000 records, 10,000/s, 10s left" {
		t.Errorf("elsewhere:\n%s", plain.String())
	}
	plain.Reset()
	work(newProgress(&plain, "replaying", "orders", began), false)
	if !strings.HasPrefix(plain.String(), "replaying  100,000 orders, 10,000/s\n") {
		t.Errorf("without an end:\n%s", plain.String())
	}

	d := &display{height: 24}
	p := newProgress(d, "restoring", "records", began)
	p.terminal, p.next = true, began.Add(progressMoment)
	p.at(1, .1, began.Add(progressMoment/2))
	if len(d.lines) > 0 {
		t.Errorf("shown at once: %q", d.lines)
	}
	p.at(1000, .5, began.Add(2*time.Second))
	if d.lines[0] != "[############............] restoring  50 %  1,000 records, 500/s, 2s left" {
		t.Errorf("on a terminal: %q", d.lines)
	}
	p.at(2000, 1, began.Add(4*time.Second))
	if d.lines[0] != "[########################] restoring 100 %  2,000 records, 500/s" {
		t.Errorf("at the end: %q", d.lines)
	}
	p.end()
	if strings.Join(d.lines, "") != "" {
		t.Errorf("left on the terminal: %q", d.lines)
	}
}

// TestReplayProgress counts bytes as they are in the files, with and without all sizes.
func TestReplayProgress(t *testing.T) {
	file := filepath.Join(t.TempDir(), "orders.jsonl")
	line := `{"order_id":1,"ts":"2026-03-01T10:15:50Z","items":[{"drink":"latte","quantity":2}]}`
	if err := os.WriteFile(file, []byte(strings.Repeat(line+"\n", 5000)), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		files []string
		known bool
	}{{[]string{file, file}, true}, {[]string{file, "-"}, false}} {
		var shown []string
		r := (&replayCmd{Files: c.files}).watch(io.Discard, "orders")
		r.shown.line = func(text string) { shown = append(shown, text) }
		r.shown.began = time.Now().Add(-time.Minute)
		for range 9 {
			r.shown.next = time.Time{}
			r.read.Add(int64(1024 * (len(line) + 1)))
			r.add(1024)
		}
		last := fmt.Sprint(shown[len(shown)-1:])
		if len(shown) != 9 || strings.Contains(last, "92 %") != c.known || !strings.Contains(last, "9,216 orders, 15") {
			t.Errorf("%v: %d lines, the last is %s", c.files, len(shown), last)
		}
	}
	got := call("replay", file, "-o", "table", "--window=1h")
	got.must(t, 0, "top of 2026-03-01T10:00:00Z: 5,000 orders, 10,000 portions\n   1  latte        10,000\n\ntop of all time: 5,000 orders")
	if strings.Count(got.err, "\n") != 1 {
		t.Errorf("a short replay shows %q", got.err)
	}
}

// TestReplayProgressPacked: how far a packed file is read is told by its size as it is on
// the disk.
func TestReplayProgressPacked(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	var text strings.Builder
	for range 200_000 { // that do not pack well
		fmt.Fprintf(&text, "%016x\n", rnd.Uint64())
	}
	for name, packed := range map[string]string{"a.gz": gzipped(text.String()), "a.zst": zstded(text.String())} {
		path := written(t, name, packed)
		r := (&replayCmd{Files: []string{path}}).watch(io.Discard, "pages")
		var shown string
		r.shown.line = func(text string) { shown = text }
		r.shown.began = time.Now().Add(-time.Minute)
		file, err := files.Open(r.of(strings.NewReader(packed)), path, files.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for records := 0; ; {
			chunk, err := file.Chunk()
			if err != nil {
				break
			}
			n := 0
			chunk.Each(func([]byte) { n++ })
			records += n
			r.shown.next = time.Time{}
			r.add(n)
			share, have := float64(records)/200_000, float64(r.read.Load())/float64(len(packed))
			if have < share-.1 || have > share+.7 || have > 1 { // it is read a mebibyte at a time
				t.Fatalf("%s: %.2f of the file is read, and of the records %.2f", name, have, share)
			}
			chunk.Done()
		}
		file.Close()
		if !strings.HasPrefix(shown, "replaying 100 %  200,000 pages, ") {
			t.Errorf("%s: at the end: %q", name, shown)
		}
	}
}

// TestRestoreMetrics: what runs is measured up to now, what has ended keeps its length.
func TestRestoreMetrics(t *testing.T) {
	began := time.Unix(1000, 0)
	p := kafka.Progress{Active: true, Done: 25, Total: 100, Since: began, Took: 7 * time.Second, Restored: 525}
	if r := restoreOf(p, began.Add(5*time.Second)); !reflect.DeepEqual(r, metrics.Restore{Seconds: 15, Took: 5, Restored: 525}) {
		t.Errorf("while it runs: %+v", r)
	}
	p.Active = false
	if r := restoreOf(p, began.Add(time.Hour)); !reflect.DeepEqual(r, metrics.Restore{Took: 7, Restored: 525}) {
		t.Errorf("when it has ended: %+v", r)
	}
}
