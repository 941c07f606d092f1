package main

import (
	"io"
	"os"
	"time"
)

// replayed is how far a replay is.
type replayed struct {
	shown  *progress
	bytes  int64 // of all files; 0 if one of them does not say
	read   int64
	orders int64
}

// watch begins to show the progress of a replay.
func (c *replayCmd) watch(out io.Writer) *replayed {
	r := &replayed{shown: newProgress(out, "replaying", "orders", time.Now())}
	for _, name := range c.Files {
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() {
			r.bytes = 0
			return r
		}
		r.bytes += info.Size()
	}
	return r
}

// of counts what is read of a file, as it is on the disk.
func (r *replayed) of(in io.Reader) io.Reader { return &countedReader{in, r} }

type countedReader struct {
	io.Reader
	total *replayed
}

func (c *countedReader) Read(into []byte) (int, error) {
	n, err := c.Reader.Read(into)
	c.total.read += int64(n)
	return n, err
}

// replayedEvery is how many orders go by between two looks at the clock.
const replayedEvery = 1024

// add takes note of one more record.
func (r *replayed) add() {
	if r.orders++; r.orders%replayedEvery != 0 {
		return
	}
	share := -1.0
	if r.bytes > 0 {
		share = float64(r.read) / float64(r.bytes)
	}
	r.shown.at(r.orders, share, time.Now())
}
