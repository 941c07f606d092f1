package window

import "slices"

// tally adds up portions by drink id: a slice for small ids, a map beyond limit, and
// the list of ids touched.
type tally struct {
	dense  []uint64
	sparse map[uint32]uint64
	dirty  []uint32
	limit  uint32 // ids below it are dense; 0 = all are
}

// denseLimit keeps a batch over many windows small: the first few windows of a batch
// hold nearly all of a live stream and may be dense to the last id, the others (a
// backlog with sparse event time) only for the first ids.
func denseLimit(windows int) uint32 {
	if windows < 8 {
		return 0
	}
	return 256
}

func (t *tally) add(id uint32, portions uint64) {
	// Sparse ids have nothing in dense, however long it is from earlier.
	if int(id) < len(t.dense) && t.dense[id] != 0 {
		t.dense[id] += portions
		return
	}
	t.addFirst(id, portions)
}

// addFirst is add for an id that has nothing yet, or is sparse.
func (t *tally) addFirst(id uint32, portions uint64) {
	if t.limit != 0 && id >= t.limit {
		t.addSparse(id, portions)
		return
	}
	if int(id) >= len(t.dense) {
		t.dense = append(t.dense, make([]uint64, int(id)+1-len(t.dense))...)
	}
	t.dirty = append(t.dirty, id)
	t.dense[id] = portions
}

func (t *tally) addSparse(id uint32, portions uint64) {
	if t.sparse == nil {
		t.sparse = make(map[uint32]uint64)
	}
	if t.sparse[id] == 0 {
		t.dirty = append(t.dirty, id)
	}
	t.sparse[id] += portions
}

// plus adds all of o.
func (t *tally) plus(o *tally) {
	for _, id := range o.dirty {
		t.add(id, o.get(id))
	}
}

func (t *tally) get(id uint32) uint64 {
	if t.limit != 0 && id >= t.limit {
		return t.sparse[id]
	}
	return t.dense[id]
}

// ids are the ids touched, ascending: what belongs to them is read in a row then.
func (t *tally) ids() []uint32 {
	if len(t.sparse) > 0 || len(t.dirty) < len(t.dense)/16 {
		slices.Sort(t.dirty)
		return t.dirty
	}
	t.dirty = t.dirty[:0]
	for id, n := range t.dense {
		if n > 0 {
			t.dirty = append(t.dirty, uint32(id))
		}
	}
	return t.dirty
}

func (t *tally) reset() {
	for _, id := range t.dirty {
		if int(id) < len(t.dense) {
			t.dense[id] = 0
		}
	}
	clear(t.sparse)
	t.dirty = t.dirty[:0]
}
