package main

import (
	"io"
	"os"
	"sync/atomic"
	"time"

	"windowed/internal/engine"
	"windowed/internal/files"
)

// replayed is how far a replay is.
type replayed struct {
	shown  *progress
	bytes  int64 // of all files; 0 if one of them does not say
	read   atomic.Int64
	orders int64
}

// watch begins to show the progress of a replay, which is that of reading its files as they
// are on the disk, packed or not. unit is what a record is called.
func (c *replayCmd) watch(out io.Writer, unit string) *replayed {
	r := &replayed{shown: newProgress(out, "replaying", unit, time.Now())}
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
	c.total.read.Add(int64(n))
	return n, err
}

// add takes note of more records.
func (r *replayed) add(records int) {
	r.orders += int64(records)
	share := -1.0
	if r.bytes > 0 {
		share = float64(r.read.Load()) / float64(r.bytes)
	}
	r.shown.at(r.orders, share, time.Now())
}

// replayedFile are the records of a file, from its start.
type replayedFile struct {
	file  *files.File
	ahead []*files.Chunk // read already
}

// Next implements engine.Chunks.
func (f *replayedFile) Next() (engine.Chunk, error) {
	if len(f.ahead) > 0 {
		chunk := f.ahead[0]
		f.ahead = f.ahead[1:]
		return chunk, nil
	}
	chunk, err := f.file.Chunk()
	if err != nil {
		return nil, err
	}
	return chunk, nil
}
