package state

// Tail collects changelog records of one partition as they are read and keeps only the
// last value per key, so that a store far behind is touched once per key. Not safe for
// concurrent use.
type Tail struct {
	slots []slot
	index map[string]int
	live  int
}

type slot struct {
	key, value []byte
	dead       bool // a later record has the same key
}

// Add takes the next record; a nil value is a tombstone. The bytes are kept until Apply.
func (t *Tail) Add(key, value []byte) {
	if t.index == nil {
		t.index = make(map[string]int)
	}
	if old, ok := t.index[string(key)]; ok {
		t.slots[old].dead = true
	} else {
		t.live++
	}
	t.index[string(key)] = len(t.slots)
	t.slots = append(t.slots, slot{key: key, value: value})
}

// Apply applies what was collected to partition p of s, in the order of the last
// records, with the changelog offset to read next, and empties the tail.
func (t *Tail) Apply(s *State, p int32, position int64) error {
	changes := make([]Change, 0, t.live)
	for i := range t.slots {
		if t.slots[i].dead {
			continue
		}
		c, err := DecodeChange(t.slots[i].key, t.slots[i].value)
		if err != nil {
			return err
		}
		changes = append(changes, c)
	}
	t.slots, t.live = t.slots[:0], 0
	clear(t.index)
	return s.Apply(p, changes, position)
}
