package state

import (
	"encoding/binary"
	"fmt"

	"github.com/google/btree"
)

// Entry is a drink and its count.
type Entry struct {
	Drink string
	Count uint64
}

// before is the order of every ranking: count descending, then name ascending by bytes.
func (e Entry) before(o Entry) bool {
	if e.Count != o.Count {
		return e.Count > o.Count
	}
	return e.Drink < o.Drink
}

// ranking holds the first capacity entries of one scope in order. Counts only grow, so
// a drink can enter it only when it is itself updated, and a bounded ranking is exact
// for its length. A scope whose counts may fall has its ranking dropped and rebuilt.
type ranking struct {
	capacity int
	tree     *btree.BTreeG[Entry]
	counts   map[string]uint64
	complete bool   // it holds every drink of the scope
	changed  bool   // since it was last stored
	lowest   uint64 // no entry of a full ranking has less; it may have fallen behind
}

const btreeDegree = 16

func newRanking(capacity int) *ranking {
	return &ranking{
		capacity: capacity,
		tree:     btree.NewG(btreeDegree, Entry.before),
		counts:   make(map[string]uint64),
		complete: true,
	}
}

// update takes the new count of a drink, which is not below its old one.
func (r *ranking) update(drink string, count uint64) {
	if count < r.lowest && !r.complete {
		return // it is not in it, since what is has not less, and does not come into it
	}
	e := Entry{Drink: drink, Count: count}
	r.changed = true
	if old, ok := r.counts[drink]; ok {
		r.tree.Delete(Entry{Drink: drink, Count: old})
		r.tree.ReplaceOrInsert(e)
		r.counts[drink] = count
		return
	}
	if len(r.counts) >= r.capacity {
		r.complete = false
		last, ok := r.tree.Max()
		r.lowest = last.Count
		if !ok || last.before(e) {
			return
		}
		r.tree.DeleteMax()
		delete(r.counts, last.Drink)
	}
	r.tree.ReplaceOrInsert(e)
	r.counts[drink] = count
}

// answers says whether the first n entries of the scope are all in the ranking.
func (r *ranking) answers(n int) bool { return r.complete || n <= len(r.counts) }

// top appends the first n entries to dst.
func (r *ranking) top(dst []Entry, n int) []Entry {
	if n <= 0 {
		return dst
	}
	r.tree.Ascend(func(e Entry) bool {
		dst = append(dst, e)
		n--
		return n > 0
	})
	return dst
}

func (r *ranking) append(dst []byte) []byte {
	dst = appendHeader(dst)
	dst = appendBool(dst, r.complete)
	dst = binary.BigEndian.AppendUint32(dst, uint32(r.capacity))
	dst = binary.BigEndian.AppendUint32(dst, uint32(len(r.counts)))
	r.tree.Ascend(func(e Entry) bool {
		dst = appendText(appendU64(dst, e.Count), e.Drink)
		return true
	})
	return dst
}

// storedRanking reads the first n entries of a stored ranking; ok says whether it holds
// that many of the scope.
func storedRanking(b []byte, n int) (top []Entry, ok bool, err error) {
	r := newReader("a stored ranking", b)
	complete, _, size := r.bool(), r.u32(), int(r.u32())
	if r.err == nil && size > len(b) {
		r.err = fmt.Errorf("%w: stored ranking of %d entries in %d bytes", ErrFormat, size, len(b))
	}
	if r.err != nil {
		return nil, false, corrupt(r.err)
	}
	if n > size && !complete {
		return nil, false, nil
	}
	top = make([]Entry, 0, min(n, size))
	for range min(n, size) {
		count := r.u64()
		top = append(top, Entry{Drink: r.text(), Count: count})
	}
	if r.err != nil {
		return nil, false, corrupt(r.err)
	}
	return top, true, nil
}

// loadRanking makes a ranking from a stored one; nil if it was made with another
// capacity.
func loadRanking(b []byte, capacity int) (*ranking, error) {
	r := newReader("a stored ranking", b)
	complete, stored, size := r.bool(), int(r.u32()), int(r.u32())
	if r.err != nil {
		return nil, corrupt(r.err)
	}
	if stored != capacity {
		return nil, nil
	}
	made := newRanking(capacity)
	for range size {
		count := r.u64()
		made.update(r.text(), count)
		if r.err != nil {
			return nil, corrupt(r.err)
		}
	}
	made.complete = complete
	return made, nil
}
