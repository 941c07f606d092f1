package state

// Current are the changelog records of partition p that have the keys of changes, as
// they are now: tombstones where there are none. The meta is not among them, nor a
// global record that is not there, which cannot be deleted.
func (s *State) Current(p int32, changes []Change) ([]Change, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var now []Change
	for i := range changes {
		c := &changes[i]
		if c.Kind == MetaKind {
			continue
		}
		if c.Kind == CountKind {
			n, err := s.counts.peek(place{p: p, scope: c.Scope}, c.Drink)
			if err != nil {
				return nil, err
			}
			now = append(now, Change{Kind: CountKind, Scope: c.Scope, Drink: c.Drink, Count: n, Deleted: n == 0})
			continue
		}
		key := appendRecordKey(nil, p, c)
		cell, err := s.cells.get(key)
		if err != nil {
			return nil, err
		}
		switch {
		case cell.exists:
			known, err := DecodeChange(key[5:], cell.raw)
			if err != nil {
				return nil, corrupt(err)
			}
			now = append(now, known)
		case c.Kind != GlobalKind:
			now = append(now, Change{Kind: c.Kind, Scope: c.Scope, Drink: c.Drink, Deleted: true})
		}
	}
	return now, nil
}
