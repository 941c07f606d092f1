package engine

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/state"
	"windowed/window"
)

// The variants of the model: the design, and three tempting rules that break it.
const (
	asDesigned    = "ok"
	activeMinimum = "close_active" // idle partitions left out of the minimum
	localExpiry   = "expire_local" // expiry by a close-through computed from what was read
	localCount    = "no_P"         // a local partition count in place of the committed one
	planted       = "planted"      // the design by the means the others are planted with
)

// world is one run: input partitions with their changelogs, and instances.
type world struct {
	r       *rand.Rand
	cfg     Config
	variant string
	now     int64
	pace    int  // of the clock: event time runs ahead of it, or behind
	calm    bool // no crashes and takeovers: followers stay far behind

	rankCapacity, rankWindows int

	inputs    []*input
	instances []*instance
	first     int // partitions at the start
	ever      map[int64]*everWindow
	finals    map[int64][]Output // as committed, by window start
	global    state.Global       // as committed
	emitted   map[int64]state.Emitted
	seen      map[string]int // what happened, so that the model cannot go blind
}

// input is one input partition, and its changelog by transaction.
type input struct {
	samples []*sample
	start   int64 // offset of the first sample
	log     [][]kv
	owner   int
	truth   *truth
	cursor  int64 // event time of the newest records
	heard   int64 // wall clock of the last record, or of the takeover
}

func (in *input) end() int64 { return in.start + int64(len(in.samples)) }

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func newWorld(seed uint64, variant string) (*world, error) {
	r := rand.New(rand.NewPCG(seed, 7))
	w := &world{
		r: r, variant: variant, ever: map[int64]*everWindow{}, finals: map[int64][]Output{},
		emitted: map[int64]state.Emitted{}, seen: map[string]int{}, global: state.Global{CloseThrough: math.MinInt64},
		pace: pick(r, 2, 10, 10), calm: r.IntN(3) == 0, rankCapacity: pick(r, 2, 5, 1000), rankWindows: pick(r, 1, 2, 64),
	}
	w.now = pick[int64](r, 0, -400, 1_700_000_000_000)
	w.cfg = Config{
		Window: pick[window.Size](r, 10, 10, 7, 1), Grace: pick[int64](r, 0, 1, 1, 5, 12), Retention: pick[int64](r, 0, 24, 24, 60),
		Top: pick(r, 1, 3, 10), Flush: pick[int64](r, 1, 20, 100, 400), IdleTimeout: pick[int64](r, 20, 20, 3, 0),
		MaxFuture: pick[int64](r, 60, 1<<40, 1<<40), closeChunk: pick(r, 1, 2, 5, 0), expireChunk: pick(r, 1, 2, 7, 0),
	}
	w.cfg.Order.TimeField = "ts"
	switch r.IntN(4) {
	case 0, 1:
		w.cfg.Late = AmendLate
	case 2:
		w.cfg.Flush = 1 << 40 // no snapshots that carry a risen C along
	}
	if variant != asDesigned {
		w.cfg = Config{
			Window: 10, Grace: 1, Retention: 24, Top: 3, Flush: 20, IdleTimeout: 20, MaxFuture: 1 << 40, Order: w.cfg.Order,
		}
	}
	w.first = 1 + r.IntN(4)
	for range w.first {
		w.addInput()
	}
	for id := range 1 + r.IntN(3) {
		in := &instance{id: id, fs: vfs.NewCrashableMem(), known: int32(w.first)}
		w.instances = append(w.instances, in)
		if err := w.open(in); err != nil {
			return nil, err
		}
	}
	for _, in := range w.inputs {
		in.owner = r.IntN(len(w.instances))
	}
	return w, nil
}

func (w *world) addInput() *input {
	in := &input{start: pick[int64](w.r, 0, 0, 5), cursor: w.now, heard: w.now}
	in.truth = newTruth(in.start)
	w.inputs = append(w.inputs, in)
	return in
}

func (w *world) close() {
	for _, in := range w.instances {
		if in.st != nil {
			_ = in.st.Abandon()
		}
	}
}

// run is one seed of the model from beginning to end.
func runModel(seed uint64, variant string) (seen map[string]int, err error) {
	w, err := newWorld(seed, variant)
	if err != nil {
		return nil, err
	}
	defer w.close()
	for range 150 + w.r.IntN(350) {
		if err := w.random(); err != nil {
			return nil, err
		}
	}
	if err := w.drain(); err != nil {
		return nil, err
	}
	return w.seen, w.verify()
}

// random lets one thing happen.
func (w *world) random() error {
	w.now += int64(w.r.IntN(w.pace))
	in := w.instances[w.r.IntN(len(w.instances))]
	p := int32(w.r.IntN(len(w.inputs)))
	owner := w.instances[w.inputs[p].owner]
	switch k := w.r.IntN(1000); {
	case k < 240:
		w.produce(w.inputs[p])
	case k < 440:
		return w.poll(owner, p, 1+w.r.IntN(6))
	case k < 600:
		return w.begin(in, 85)
	case k < 730:
		return w.end(in)
	case k < 850, k < 890 && w.calm:
		return w.follow(in, p, 1+w.r.IntN(4))
	case k < 865:
		return w.crash(in)
	case k < 890:
		return w.takeOver(in, p)
	case k < 950:
		return w.idle(owner, p)
	case k < 965:
		return in.st.Checkpoint(w.r.IntN(3) == 0)
	case k < 980:
		if w.variant == asDesigned {
			return in.shadow.compare(&w.cfg, in.st)
		}
	case len(w.inputs) < w.first+2:
		w.seen["growth"]++
		w.addInput().owner = in.id
		in.known = int32(len(w.inputs))
	default:
		in.known = int32(len(w.inputs))
	}
	return nil
}

// produce appends a record to an input partition.
func (w *world) produce(in *input) {
	jump := w.r.IntN(100)
	switch {
	case jump < 93:
		in.cursor += int64(w.r.IntN(6))
	default:
		in.cursor += 50 + int64(w.r.IntN(70))
	}
	if jump < 10 {
		for _, other := range w.inputs {
			in.cursor = max(in.cursor, other.cursor)
		}
	}
	in.cursor = min(in.cursor, w.now+w.cfg.MaxFuture+100)
	t := in.cursor
	switch k := w.r.IntN(100); {
	case k < 30:
		t -= int64(w.r.IntN(14))
	case k < 36:
		t -= int64(w.r.IntN(100))
	case k < 50, k < 65 && w.cfg.Late == AmendLate:
		// Into one of the windows that were closed last.
		closed := slices.Sorted(maps.Keys(w.emitted))
		if n := len(closed); n > 0 {
			t = closed[max(0, n-1-w.r.IntN(3))] + int64(w.r.IntN(int(w.cfg.Window)))
		}
	}
	in.samples = append(in.samples, newSample(w.r, in.end(), t, w.now))
	in.heard = w.now
}

// takeOver gives an input partition to in, which has read everything first. The owner
// before loses what it had not committed.
func (w *world) takeOver(in *instance, p int32) error {
	w.seen["takeover"]++
	w.instances[w.inputs[p].owner].drop()
	in.drop()
	if err := w.catchUp(in); err != nil {
		return err
	}
	w.inputs[p].owner, w.inputs[p].heard = in.id, w.now
	return nil
}

// drain lets everything that is still due happen, without new input.
func (w *world) drain() error {
	newest := w.now
	for _, in := range w.inputs {
		newest = max(newest, in.cursor)
	}
	if w.cfg.IdleTimeout == 0 {
		// Only records move time: one far behind everything in each partition.
		newest += w.cfg.Retention + 500
		w.now = newest
		for _, in := range w.inputs {
			s := newSample(w.r, in.end(), newest, newest)
			for s.rec.Control || s.invalid != 0 || s.rec.AppendTime {
				s = newSample(w.r, in.end(), newest, newest)
			}
			in.samples = append(in.samples, s)
		}
	}
	for _, in := range w.instances {
		in.known = int32(len(w.inputs))
		if err := w.end(in); err != nil {
			return err
		}
	}
	for round, calm := 0, 0; calm < 5; round++ {
		if round > 5000 {
			return fmt.Errorf("not calm after %d rounds", round)
		}
		w.now += 30
		before := w.transactions()
		for _, in := range w.instances {
			if err := w.settle(in); err != nil {
				return err
			}
		}
		if calm++; w.transactions() > before || w.now < newest+100 {
			calm = 0
		}
	}
	return nil
}

func (w *world) settle(in *instance) error {
	if err := w.catchUp(in); err != nil {
		return err
	}
	for _, p := range w.owned(in) {
		if err := w.poll(in, p, 50); err != nil {
			return err
		}
		if err := w.idle(in, p); err != nil {
			return err
		}
	}
	if err := w.begin(in, 100); err != nil {
		return err
	}
	return w.commit(in)
}

func (w *world) transactions() int {
	n := 0
	for _, in := range w.inputs {
		n += len(in.log)
	}
	return n
}
