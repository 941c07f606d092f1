package engine

import (
	"errors"
	"io"
	"sync"

	"windowed/internal/event"
	"windowed/window"
)

// AddAll takes all records of in, which that many workers decode chunk by chunk, each with
// a decoder of its own. They are counted in their order, so that the result is the same for
// any number of workers and any cut of the input. After each chunk, read is told how many
// records it had. An error of the input comes after the records in front of it.
func (r *Replay) AddAll(in Chunks, newDecoder func() (event.Reader, error), workers int, read func(records int)) error {
	workers = max(workers, 1)
	team := make([]*worker, workers)
	for i := range team {
		dec, err := newDecoder()
		if err != nil {
			return err
		}
		team[i] = &worker{
			dec: dec, names: window.NewNamesUpTo(r.cfg.maxNames), limit: r.cfg.maxNames,
			size: r.cfg.Window, free: make(chan *window.Counts, 8),
		}
	}
	p := &pipeline{tasks: make(chan *task, 2*workers), queue: make(chan *task, 2*workers), stop: make(chan struct{})}
	go p.read(in)
	for _, w := range team {
		go p.work(w)
	}
	defer close(p.stop) // they end by themselves; the input may keep them until it is closed
	for j := range p.queue {
		<-j.ready
		if j.chunk == nil {
			return j.err
		}
		if err := r.addChunk(j); err != nil {
			return err
		}
		read(len(j.records))
		j.chunk.Done()
		p.spare(j)
	}
	return nil
}

// pipeline passes tasks from the reader to the workers, and in their order on to the one
// who counts.
type pipeline struct {
	tasks, queue chan *task
	stop         chan struct{} // closed when nobody counts any more

	mu     sync.Mutex
	spares []*task
}

// task is a chunk and what its records are.
type task struct {
	chunk Chunk // nil: the input has ended with err
	err   error // of the input, behind the last record
	ready chan struct{}

	worker  *worker
	renewed bool     // the worker's numbering begins again
	fresh   []string // drinks that got the worker's next numbers
	records []decoded
	items   []portion // of all records, by the worker's numbers
	sum     sum
}

// decoded is a record: an order, or why it is none.
type decoded struct {
	at      int64
	local   event.Local
	items   int // how many of the task's items are its
	refused *event.Error
}

// worker decodes chunks with a numbering of its own.
type worker struct {
	dec   event.Reader
	rec   event.Record // being decoded
	names *window.Names
	limit int
	known int // names that whoever counts has been told
	size  window.Size
	free  chan *window.Counts // of sums that are counted

	numbers []uint32      // by the worker's numbers, those of into; used by who counts
	into    *window.Names // what numbers refers to
	drinks  []string      // by the worker's numbers; used by who counts
}

// read cuts the input into tasks.
func (p *pipeline) read(in Chunks) {
	defer close(p.tasks)
	defer close(p.queue)
	for {
		j := p.fresh()
		j.chunk, j.err = in.Next()
		last := j.err != nil
		if last {
			if j.chunk = nil; errors.Is(j.err, io.EOF) {
				return
			}
			close(j.ready)
		}
		select {
		case p.queue <- j:
		case <-p.stop:
			return
		}
		if last {
			return
		}
		p.tasks <- j // it has room for all that the queue has
	}
}

// fresh is an empty task.
func (p *pipeline) fresh() *task {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := new(task)
	if n := len(p.spares); n > 0 {
		j, p.spares = p.spares[n-1], p.spares[:n-1]
	}
	*j = task{ready: make(chan struct{}), fresh: j.fresh[:0], records: j.records[:0], items: j.items[:0]}
	return j
}

// spare keeps the memory of a task for another one.
func (p *pipeline) spare(j *task) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.spares = append(p.spares, j)
}

func (p *pipeline) work(w *worker) {
	for j := range p.tasks {
		w.decode(j)
		close(j.ready)
	}
}

// decode decodes the records of a task. The chunks of a worker come and are counted in
// order, so what it says of its numbers once holds for the later ones.
func (w *worker) decode(j *task) {
	j.worker = w
	if j.renewed = w.names.Full(); j.renewed {
		w.names, w.known = window.NewNamesUpTo(w.limit), 0
	}
	j.chunk.Each(func(value []byte) {
		w.rec = event.Record{Value: value, Timestamp: noTimestamp}
		o, refused := w.dec.DecodeRecord(&w.rec)
		if refused != nil {
			j.records = append(j.records, decoded{refused: refused})
			return
		}
		for i := range o.Items {
			j.items = append(j.items, portion{w.names.ID(o.Items[i].Name), uint64(o.Items[i].Quantity)})
		}
		j.records = append(j.records, decoded{at: o.Time, local: o.Local, items: len(o.Items)})
	})
	for ; w.known < w.names.Len(); w.known++ {
		j.fresh = append(j.fresh, w.names.Name(uint32(w.known)).Drink)
	}
	w.add(j)
}

// unknown marks a drink whose number is not looked up yet: a number is given when a drink
// is first counted, as without workers.
const unknown = ^uint32(0)

// told takes note of the drinks that a task names.
func (w *worker) told(j *task) {
	if j.renewed {
		w.numbers, w.drinks = w.numbers[:0], nil
	}
	w.drinks = append(w.drinks, j.fresh...)
}

// number is the number in names of a drink of the worker.
func (w *worker) number(names *window.Names, id uint32) uint32 {
	if w.into != names {
		w.into, w.numbers = names, w.numbers[:0]
	}
	for len(w.numbers) < len(w.drinks) {
		w.numbers = append(w.numbers, unknown)
	}
	if w.numbers[id] == unknown {
		w.numbers[id] = names.IDOf(w.drinks[id])
	}
	return w.numbers[id]
}

// addChunk counts the records of a task.
func (r *Replay) addChunk(j *task) error {
	j.worker.told(j)
	if j.sum.counts != nil {
		defer j.worker.back(j.sum.counts)
		if r.addSum(j) {
			return r.settleFull()
		}
	}
	items := j.items
	for i := range j.records {
		d := &j.records[i]
		mine := items[:d.items]
		items = items[d.items:]
		names := r.batch.counts.Names() // another one when a batch has ended
		for k := range mine {
			mine[k].id = j.worker.number(names, mine[k].id)
		}
		if err := r.add(d, mine); err != nil {
			return err
		}
	}
	return nil
}

// addDecoded is Add for a record that was decoded elsewhere, whose dead letter nobody
// reads.
func (b *Batch) addDecoded(r *Record, d *decoded, items []portion) {
	b.Meta.Next = r.Offset + 1
	b.begin()
	if d.refused != nil {
		b.refuse(r, d.refused.Reason, "")
		return
	}
	b.accept(r, d.at, d.local, items, 0)
}
