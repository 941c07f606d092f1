package state

import "bytes"

// Tail collects changelog records of one partition as they are read and keeps only the
// last value per key, so that a state far behind is touched once per key. Not safe for
// concurrent use.
type Tail struct {
	latest latest
	held   []heldRecord // of a commit whose meta has not come yet
}

type heldRecord struct {
	offset     int64
	key, value []byte
}

// maxHeld bounds the records of a commit that is not complete yet: a compacted log may
// have no meta but its last one. A longer commit is taken as it comes.
const maxHeld = 256 << 10

// Add takes the next record; a nil value is a tombstone. The bytes are copied.
func (t *Tail) Add(key, value []byte) {
	// What was held belongs to a commit that was cut, and the owner has repaired.
	t.held = nil
	t.latest.put(key, value)
}

// Len is how many keys have a record that Apply would apply, Size how many bytes these
// take.
func (t *Tail) Len() int  { return len(t.latest.records) }
func (t *Tail) Size() int { return len(t.latest.text) }

// AddLoose is Add for a record that was written outside of a transaction. It is held until
// the meta of its commit has come: counts without their meta come from a commit that was
// cut, and would be counted again.
func (t *Tail) AddLoose(offset int64, key, value []byte) {
	t.held = append(t.held, heldRecord{offset: offset, key: bytes.Clone(key), value: bytes.Clone(value)})
	switch {
	case isMeta(key):
		t.settle(len(t.held))
	case len(t.held) > maxHeld:
		t.settle(maxHeld / 2)
	}
}

func isMeta(key []byte) bool { return len(key) == 2 && key[0] == controlByte && key[1] == metaKey }

// settle takes the first n held records for good.
func (t *Tail) settle(n int) {
	for _, r := range t.held[:n] {
		t.latest.put(r.key, r.value)
	}
	t.held = append([]heldRecord(nil), t.held[n:]...)
}

// Apply applies what was collected to partition p of s, with the changelog offset to read
// next, and empties the tail. What is held stays, and keeps the position in front of it.
func (t *Tail) Apply(s *State, p int32, position int64) error {
	if len(t.held) > 0 {
		position = min(position, t.held[0].offset)
	}
	if err := t.latest.check(); err != nil {
		return err
	}
	err := s.applyLatest(p, &t.latest, position)
	t.latest.clear()
	return err
}

// Cut are the records that are held, one a key: what there is of a commit that was cut.
func (t *Tail) Cut() ([]Change, error) {
	var changes []Change
	seen := make(map[string]bool)
	for _, r := range t.held {
		if seen[string(r.key)] {
			continue
		}
		seen[string(r.key)] = true
		c, err := DecodeChange(r.key, r.value)
		if err != nil {
			return nil, err
		}
		changes = append(changes, c)
	}
	return changes, nil
}
