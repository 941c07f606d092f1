package engine

import (
	"bytes"
	"fmt"
	"slices"

	"windowed/internal/event"
	"windowed/internal/fault"
	"windowed/state"
	"windowed/watermark"
	"windowed/window"
)

// Record is one record of an input partition. Its bytes stay the caller's.
type Record struct {
	event.Record
	Offset     int64
	AppendTime bool // Timestamp is the broker's (LogAppendTime)
	Control    bool // a transaction marker: moves the offset and nothing else
}

// MaxDeadValue is how many bytes of a record's value a DeadLetter carries.
const MaxDeadValue = 64 << 10

// DeadLetter is a record that does not count, or counts for all of time only. It owns its
// bytes.
type DeadLetter struct {
	Partition  int32
	Offset     int64
	Timestamp  int64
	Key, Value []byte // of the value MaxDeadValue at most
	Size       int    // bytes of the whole value
	Headers    []event.Header
	Reason     event.Reason
	Detail     string
	AllTime    bool // it counted for all of time
}

// held is how many bytes of memory the letter keeps.
func (d *DeadLetter) held() int {
	n := len(d.Key) + len(d.Value)
	for i := range d.Headers {
		n += len(d.Headers[i].Key) + len(d.Headers[i].Value)
	}
	return n
}

// Partition makes the batches of one input partition. Not safe for concurrent use;
// different partitions may work at the same time.
type Partition struct {
	ID    int32
	cfg   *Config
	dec   event.Reader
	names *names
	items []portion        // of the order that is added
	ids   []uint32         // of the drinks that are sealed
	free  []*window.Counts // of finished batches
}

// portion is an item of an order, its drink by its number.
type portion struct {
	id       uint32
	quantity uint64
}

// names is the numbering of the drinks for new batches. Partitions that are worked on by
// one goroutine share it: most drinks come in all of them.
type names struct {
	now   *window.Names
	limit int // see window.NewNamesUpTo
}

// get is the numbering to use, another one when the last is full.
func (n *names) get() *window.Names {
	if n.now == nil || n.now.Full() {
		n.now = window.NewNamesUpTo(n.limit)
	}
	return n.now
}

// NewPartition returns the step of input partition id.
func NewPartition(id int32, cfg *Config) (*Partition, error) {
	dec, err := cfg.decoder()
	if err != nil {
		return nil, err
	}
	return &Partition{ID: id, cfg: cfg, dec: dec, names: &names{limit: cfg.maxNames}}, nil
}

// Batch is the uncommitted work of one input partition.
type Batch struct {
	Meta    state.Meta // as it will be committed
	Dead    []DeadLetter
	Read    int       // records, control records not counted
	Skipped int       // records below the position, already counted by an earlier run
	Ages    Histogram // how far its late records were behind their partition
	Clocks  Clocks

	part         *Partition
	counts       *window.Counts
	guard        watermark.FutureGuard
	closeThrough int64 // C as its owner had read it when the batch began
	newestClosed int64
	changed      bool // by something else than a record: idleness, expiry
}

// Begin starts a batch on top of meta, with the committed close-through and the newest
// closed window as they are known now. Lateness, amendments and expiry of the whole
// batch go by these.
func (p *Partition) Begin(meta state.Meta, closeThrough, newestClosed int64) *Batch {
	b := &Batch{
		Meta: meta, part: p, closeThrough: closeThrough, newestClosed: newestClosed,
		guard: watermark.FutureGuard{Max: p.cfg.MaxFuture, Off: p.cfg.NoClock},
	}
	b.counts = p.counts(p.names.get())
	return b
}

// counts are empty counts with the given numbering, those of a finished batch if they can
// be.
func (p *Partition) counts(names *window.Names) *window.Counts {
	for n := len(p.free); n > 0; n = len(p.free) {
		c := p.free[n-1]
		if p.free = p.free[:n-1]; c.Names() == names {
			return c
		}
	}
	return window.NewCounts(names)
}

// Done gives back what the batch holds; it must not be used afterwards.
func (b *Batch) Done() {
	b.counts.Reset()
	b.part.free = append(b.part.free, b.counts)
	b.counts = nil
}

// Keys is the number of distinct keys that the batch has counted.
func (b *Batch) Keys() int { return b.counts.Keys() }

// Due says whether the batch has something to commit. Transaction markers alone have
// not.
func (b *Batch) Due() bool { return b.Read > 0 || b.changed }

// Add takes the next record; now is the wall clock in ms. A record below the position
// was counted before and is skipped.
func (b *Batch) Add(r *Record, now int64) {
	if r.Offset < b.Meta.Next && !fault.Planted(fault.CountAgain) {
		b.Skipped++
		return
	}
	b.Meta.Next = r.Offset + 1
	if r.Control {
		return
	}
	b.begin()
	o, oerr := b.part.dec.DecodeRecord(&r.Record)
	if oerr != nil {
		b.refuse(r, oerr.Reason, oerr.Error())
		return
	}
	items, names := b.part.items[:0], b.counts.Names()
	for i := range o.Items {
		items = append(items, portion{names.ID(o.Items[i].Name), uint64(o.Items[i].Quantity)})
	}
	b.part.items = items
	b.accept(r, o.Time, o.Local, items, now)
}

// begin takes note of one more record.
func (b *Batch) begin() {
	b.Read++
	b.Meta.Counters.Records++
	b.Meta.Time.Idle = false
}

// accept takes an order that was decoded.
func (b *Batch) accept(r *Record, at int64, local event.Local, items []portion, now int64) {
	reference := now
	if r.AppendTime {
		reference = r.Timestamp
	}
	if b.guard.Refuses(at, reference) {
		b.refuse(r, event.Future, fmt.Sprintf("event time %s is more than %d ms ahead", window.FormatTime(at), b.guard.Max))
		return
	}
	b.Clocks.add(local)
	b.count(r, at, items)
}

func (b *Batch) refuse(r *Record, reason event.Reason, detail string) {
	b.Meta.Counters.Invalid[reason]++
	b.Dead = append(b.Dead, b.letter(r, reason, detail))
}

func (b *Batch) letter(r *Record, reason event.Reason, detail string) DeadLetter {
	d := DeadLetter{
		Partition: b.part.ID, Offset: r.Offset, Timestamp: r.Timestamp, Key: bytes.Clone(r.Key), Size: len(r.Value),
		Headers: slices.Clone(r.Headers), Reason: reason, Detail: detail,
	}
	d.Value = bytes.Clone(r.Value[:min(len(r.Value), MaxDeadValue)])
	for i := range d.Headers {
		d.Headers[i].Value = bytes.Clone(d.Headers[i].Value)
	}
	return d
}

// count adds an order to all of time and to its window, if it is not too late for it.
func (b *Batch) count(r *Record, at int64, items []portion) {
	cfg := b.part.cfg
	start := cfg.Window.Start(at)
	end := cfg.Window.End(start)
	late := b.Meta.Time.Late(end)
	if fault.Planted(fault.LateByAll) {
		late = end <= b.closeThrough
	}
	into := !late || cfg.Late == AmendLate && b.retained(end)
	var portions uint64
	if into {
		w := b.counts.Window(start)
		for _, item := range items {
			portions += item.quantity
			w.Add(item.id, item.quantity)
		}
		w.Accepted(portions)
	} else {
		for _, item := range items {
			portions += item.quantity
			b.counts.AddLate(item.id, item.quantity)
		}
	}
	c := &b.Meta.Counters
	c.Portions += portions
	switch {
	case !late:
		c.Counted++
		b.Meta.Time.Accept(at, cfg.Grace)
	case into:
		c.Amended++
		c.AmendedPortions += portions
		b.late(at, end, portions)
	default:
		c.Late++
		c.LatePortions += portions
		b.late(at, end, portions)
		b.tooLate(r, at, start, end, portions)
	}
}

// Rebase lets a batch that has read nothing yet go by what is committed now; one that
// has read keeps to what it began with, so that all its records are judged alike.
func (b *Batch) Rebase(closeThrough, newestClosed int64) {
	if b.Read == 0 {
		b.closeThrough, b.newestClosed = closeThrough, newestClosed
	}
}

// Idle marks the partition idle and raises its close-through as far as the rule lets
// it. The caller has seen it silent at its end for long enough.
func (b *Batch) Idle(st *state.State, now int64) {
	raised := st.Raise(b.part.ID, b.part.cfg.Idleness(), now)
	if b.Meta.Time.Idle && raised <= b.Meta.Time.CloseThrough {
		return
	}
	b.Meta.Time.Idle = true
	b.Meta.Time.CloseThrough = max(b.Meta.Time.CloseThrough, raised)
	b.changed = true
}

// Commit marks the batch as due: its position differs from the state's by consent.
func (b *Batch) Commit() { b.changed = true }

// CloseAll raises the close-through to end: there is no more input.
func (b *Batch) CloseAll(end int64) {
	b.Meta.Time.CloseThrough = max(b.Meta.Time.CloseThrough, end)
	b.changed = true
}

// expirable is the end up to which windows may expire.
func (b *Batch) expirable() int64 {
	c := b.closeThrough
	if fault.Planted(fault.ExpireByOwnTime) {
		c = b.Meta.Time.CloseThrough
	}
	newest := b.newestClosed
	if fault.Planted(fault.ExpireNewest) && c != window.None {
		newest = c
	}
	return b.part.cfg.Lifecycle().ExpiredThrough(c, newest)
}

// Expire says whether the committed close-through lets windows of this partition
// expire, and marks the batch as due then.
func (b *Batch) Expire(st *state.State) bool {
	through := b.expirable()
	if through == window.None || !st.ExpiryDue(b.part.ID, b.Meta.ExpiredThrough, through) {
		return false
	}
	b.changed = true
	return true
}

// Seal returns the changelog records of the batch: numbers and counts, one per distinct
// key, tombstones of expired windows, and the meta last. The state must be that of the
// meta the batch began with.
func (b *Batch) Seal(st *state.State) ([]state.Change, error) {
	starts := b.counts.Starts()
	changes, err := b.seal(st, window.AllTime, false, make([]state.Change, 0, b.counts.Keys()+len(starts)+2))
	if err != nil {
		return nil, err
	}
	for _, start := range starts {
		n, err := st.Numbers(b.part.ID, start)
		if err != nil {
			return nil, err
		}
		sum := n.Plus(b.counts.Numbers(start))
		changes = append(changes, state.Change{Kind: state.NumbersKind, Scope: window.At(start), Numbers: &sum})
		// A window without numbers has no counts of this partition.
		fresh := n == (window.Numbers{})
		if changes, err = b.seal(st, window.At(start), fresh, changes); err != nil {
			return nil, err
		}
	}
	if changes, err = b.expire(st, changes); err != nil {
		return nil, err
	}
	meta := b.Meta
	return append(changes, state.Change{Kind: state.MetaKind, Meta: &meta}), nil
}

// seal appends the absolute counts of one scope; fresh: the partition has none there yet.
func (b *Batch) seal(st *state.State, scope window.Scope, fresh bool, changes []state.Change) ([]state.Change, error) {
	names, first, ids := b.counts.Names(), len(changes), b.part.ids[:0]
	b.counts.Each(scope, func(id uint32, portions uint64) {
		name := names.Name(id)
		changes = append(changes, state.Change{Kind: state.CountKind, Scope: scope, Drink: name.Drink, Count: portions, New: true, Mark: name.Mark})
		ids = append(ids, id)
	})
	b.part.ids = ids
	if fresh {
		return changes, nil
	}
	if err := st.AddCounts(b.part.ID, scope, changes[first:]); err != nil {
		return nil, err
	}
	for i, id := range ids {
		c := &changes[first+i]
		*names.Name(id) = window.Name{Drink: c.Drink, Mark: c.Mark}
	}
	return changes, nil
}

func (b *Batch) expire(st *state.State, changes []state.Change) ([]state.Change, error) {
	if !b.Expire(st) {
		return changes, nil
	}
	lifecycle := b.part.cfg.Lifecycle()
	through := b.expirable()
	gone, done, err := st.Expirable(b.part.ID, through, b.part.cfg.keysAtOnce())
	if err != nil {
		return nil, err
	}
	fault.Point(fault.Expired)
	for i := range gone {
		if gone[i].Kind == state.NumbersKind {
			b.Meta.ExpiredThrough = max(b.Meta.ExpiredThrough, lifecycle.Size.End(gone[i].Scope.Start))
		}
	}
	if done {
		b.Meta.ExpiredThrough = max(b.Meta.ExpiredThrough, through)
	}
	return append(changes, gone...), nil
}
