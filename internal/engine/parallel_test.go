package engine

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/internal/event"
	"windowed/internal/files"
	"windowed/state"
	"windowed/window"
)

// someLines are orders of several windows and shapes, late ones and records of every kind
// that is refused among them, with blank lines and all ends of lines.
func someLines(seed uint64, n int) []byte {
	r := rand.New(rand.NewPCG(seed, 0))
	var b []byte
	for i := range n {
		ts := int64(i)*1000 + r.Int64N(5*minute)
		switch r.IntN(40) {
		case 0:
			b = append(b, "not json"...)
		case 1:
			b = append(b, `{"items":[{"drink":"no time","quantity":1}]}`...)
		case 2:
			b = fmt.Appendf(b, `{"ts":%d,"items":[{"drink":"tea","quantity":1},{"drink":"tea","quantity":-1}]}`, ts)
		case 3:
			b = fmt.Appendf(b, `{"ts":%d,"items":[{"drink":"","quantity":1}]}`, ts)
		case 4:
			b = append(b, "  \t"...)
		case 5:
			b = fmt.Appendf(b, `{"items":[{"quantity":3,"drink":"caf\u00e9 %d"}],"ts":%d}`, r.IntN(5), ts)
		case 6:
			b = fmt.Appendf(b, `{"ts":%d,"items":[{"drink":"old","quantity":2}]}`, ts-int64(hour))
		default:
			b = fmt.Appendf(b, `{"order_id":%d,"ts":%d,"items":[`, i, ts)
			for k := range 1 + r.IntN(4) {
				if k > 0 {
					b = append(b, ',')
				}
				b = fmt.Appendf(b, `{"drink":"drink %d","quantity":%d}`, r.IntN(30), 1+r.IntN(3))
			}
			b = append(b, "]}"...)
		}
		b = append(b, []string{"\n", "\n", "\r\n", "\n\n"}[r.IntN(4)]...)
	}
	return append(b, `{"ts":1,"items":[{"drink":"no end of line","quantity":1}]}`...)
}

// fileChunks are the chunks of a file.
type fileChunks struct{ file *files.File }

func (f fileChunks) Next() (Chunk, error) {
	chunk, err := f.file.Chunk()
	if err != nil {
		return nil, err
	}
	return chunk, nil
}

// lines are JSON lines in chunks of that many bytes.
func lines(t *testing.T, in io.Reader, chunk int) Chunks {
	t.Helper()
	file, err := files.Open(in, "orders.jsonl", files.Options{ChunkSize: chunk})
	if err != nil {
		t.Fatal(err)
	}
	return fileChunks{file}
}

func ordersBy(cfg *Config) func() (event.Reader, error) {
	return func() (event.Reader, error) { return event.NewDecoder(cfg.Order) }
}

// replayed is all that a replay says.
type replayed struct {
	finals, allTime string
	totals          state.Counters
	records         int
	err             string
}

func replayAll(t *testing.T, in io.Reader, chunk, workers int, cfg Config) (res replayed) {
	t.Helper()
	cfg.Window, cfg.Grace, cfg.Retention, cfg.Top, cfg.Flush = 10*minute, minute, day, 5, 1
	cfg.Order.TimeField = "ts"
	st, err := state.Open("replay", state.Options{FS: vfs.NewMem(), Window: cfg.Lifecycle(), Logger: quietLog{}})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Abandon()
	r, err := NewReplay(cfg, st, func(o *Output) error {
		value, err := o.Value()
		res.finals += string(o.Key()) + string(value) + "\n"
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.AddAll(lines(t, in, chunk), ordersBy(&cfg), workers, func(records int) { res.records += records }); err != nil {
		res.err = err.Error()
	}
	if err := r.Finish(); err != nil {
		t.Fatal(err)
	}
	all, err := st.Top(window.AllTime, 1000)
	if err != nil {
		t.Fatal(err)
	}
	res.allTime, res.totals = string(appendRows(nil, "all-time", all)), st.Totals()
	return res
}

// TestReplayIsTheSameForAnyWorkers: workers and the cut of the input change nothing, also
// where the input ends with an error.
func TestReplayIsTheSameForAnyWorkers(t *testing.T) {
	broken := errors.New("the disk is gone")
	for seed, late := range []LateMode{DeadLetterLate, AmendLate} {
		input := someLines(uint64(seed), 3000)
		for _, cut := range []int{len(input), len(input) * 2 / 3} {
			read := func() io.Reader {
				if cut == len(input) {
					return bytes.NewReader(input)
				}
				return io.MultiReader(bytes.NewReader(input[:cut]), iotest.ErrReader(broken))
			}
			want := replayAll(t, read(), 64<<10, 1, Config{Late: late})
			if want.totals.InvalidRecords() < 100 || want.totals.AllTimeRecords() < 1500 || strings.Count(want.finals, "\n") < 3 {
				t.Fatalf("an input that says little: %+v", want)
			}
			if (want.err == "") != (cut == len(input)) || uint64(want.records) != want.totals.Records {
				t.Fatalf("%d records of %d, error %q", want.records, want.totals.Records, want.err)
			}
			for _, workers := range []int{1, 2, 3, 8} {
				for _, chunk := range []int{1, 7, 300, 5003} {
					got := replayAll(t, read(), chunk, workers, Config{Late: late})
					if !reflect.DeepEqual(got, want) {
						t.Fatalf("%d workers, chunks of %d bytes:\n%+v\nwant\n%+v", workers, chunk, got, want)
					}
				}
			}
		}
	}
}

// TestReplayOfMoreDrinksThanNumbers: the workers begin new numberings, and so does who
// counts, at other places.
func TestReplayOfMoreDrinksThanNumbers(t *testing.T) {
	var input []byte
	for i := range 3 * replayBatch {
		input = fmt.Appendf(input, `{"ts":%d,"items":[{"drink":"in all","quantity":1},{"drink":"d%d","quantity":1}]}`+"\n", i, i%5000)
	}
	few := Config{maxNames: 700}
	want := replayAll(t, bytes.NewReader(input), 1<<20, 1, Config{})
	for workers := 1; workers <= 3; workers++ {
		got := replayAll(t, bytes.NewReader(input), 20_000, workers, few)
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers: %+v\nwant: %+v", workers, got.totals, want.totals)
		}
	}
	if top := fmt.Sprintf("all-time\t1\tin all\t%d\n", 3*replayBatch); !strings.HasPrefix(want.allTime, top) {
		t.Errorf("%.100s, want %s", want.allTime, top)
	}
}

// TestReplayStopsAtAnError: an error while counting ends the reader and the workers.
func TestReplayStopsAtAnError(t *testing.T) {
	st, err := state.Open("replay", state.Options{FS: vfs.NewMem(), Window: window.Lifecycle{Size: 10, Retention: day}, Logger: quietLog{}})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Abandon()
	full := errors.New("nobody takes the finals")
	cfg := Config{Window: 10, Retention: day, Top: 1, Flush: 1}
	cfg.Order.TimeField = "ts"
	r, err := NewReplay(cfg, st, func(*Output) error { return full })
	if err != nil {
		t.Fatal(err)
	}
	var input []byte
	for i := range 3 * replayBatch {
		input = fmt.Appendf(input, `{"ts":%d,"items":[{"drink":"tea","quantity":1}]}`+"\n", i)
	}
	if err := r.AddAll(lines(t, bytes.NewReader(input), 500), ordersBy(&cfg), 3, func(int) {}); !errors.Is(err, full) {
		t.Errorf("%v, want %v", err, full)
	}
}
