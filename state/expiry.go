package state

import (
	"fmt"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"windowed/window"
)

// Expirable is the next tombstones of partition p: those of its windows with an end at
// or before through, oldest first, at most limit keys of drinks. done says that nothing
// is left behind them. A window's numbers get their tombstone with its last drink.
func (s *State) Expirable(p int32, through int64, limit int) (tombstones []Change, done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.usable(); err != nil {
		return nil, false, err
	}
	oldest, ok := s.oldest[p]
	if !ok || s.opts.Window.Size.End(oldest) > through {
		return nil, true, nil
	}
	starts, next, err := s.windowsThrough(p, oldest, through, limit)
	if err != nil {
		return nil, false, err
	}
	if s.oldest[p] = next; len(starts) > 0 {
		s.oldest[p] = starts[0] // still there until the tombstones are applied
	}
	for _, start := range starts {
		room := limit - len(tombstones)
		if room <= 0 {
			return tombstones, false, nil
		}
		before := len(tombstones)
		if tombstones, err = s.leaving(tombstones, p, window.At(start), room+1); err != nil {
			return nil, false, err
		}
		if len(tombstones)-before > room {
			return tombstones[:before+room], false, nil
		}
		tombstones = append(tombstones, Change{Kind: NumbersKind, Scope: window.At(start), Deleted: true})
	}
	return tombstones, s.opts.Window.Size.End(next) > through, nil
}

// windowsThrough are the starts of at most limit windows of partition p, from oldest on,
// with an end at or before through, and the start of the window behind them.
func (s *State) windowsThrough(p int32, oldest, through int64, limit int) (starts []int64, next int64, err error) {
	next = math.MaxInt64 - int64(window.MaxSize)
	from := appendControlKey(nil, p, numbersKey, oldest)
	err = s.eachRecord(from, prefixEnd(from[:len(from)-8]), func(key []byte) error {
		start := startOf(key)
		if s.opts.Window.Size.End(start) > through || len(starts) == limit {
			next = start
			return errStop
		}
		starts = append(starts, start)
		return nil
	})
	return starts, next, err
}

// ExpiryDue says whether partition p, expired through from, has something to do about
// the windows up to through: keys of its own, or a window with a final, whose record
// goes only when every partition says that it has expired. The oldest of them are known as
// lower bounds, so it may say yes where nothing is left, which costs its owner a transaction;
// never no where something is.
func (s *State) ExpiryDue(p int32, from, through int64) bool {
	size := s.opts.Window.Size
	if through <= from || from != window.None && size.Start(from) == size.Start(through) {
		return false // no window ends between them
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if oldest, ok := s.oldest[p]; ok && s.opts.Window.Size.End(oldest) <= through {
		return true
	}
	return s.emittedThroughLocked(through)
}

// EmittedThrough says whether a window with a final may end at or before end.
func (s *State) EmittedThrough(end int64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.emittedThroughLocked(end)
}

func (s *State) emittedThroughLocked(end int64) bool {
	return s.oldestEmitted != math.MaxInt64 && s.opts.Window.Size.End(s.oldestEmitted) <= end
}

// Forgettable is the next tombstones of emitted windows that every partition has
// expired, at most limit.
func (s *State) Forgettable(limit int) (tombstones []Change, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	through := s.expiredEverywhere()
	if !s.emittedThroughLocked(through) {
		return nil, nil
	}
	if err := s.checkpointLocked(false); err != nil {
		return nil, err
	}
	s.oldestEmitted = math.MaxInt64
	prefix := append(appendPartition(nil, recordKind, 0), controlByte, emittedKey)
	err = s.each(prefix, func(key, _ []byte) error {
		start := startOf(key)
		if s.opts.Window.Size.End(start) > through || len(tombstones) == limit {
			s.oldestEmitted = start
			return errStop
		}
		tombstones = append(tombstones, Change{Kind: EmittedKind, Scope: window.At(start), Deleted: true})
		return nil
	})
	if len(tombstones) > 0 {
		// They are still there until the tombstones are applied.
		s.oldestEmitted = tombstones[0].Scope.Start
	}
	return tombstones, err
}

// expiredEverywhere is the lowest expired-through of the partitions that take part.
func (s *State) expiredEverywhere() int64 {
	if s.global == nil {
		return window.None
	}
	through := int64(math.MaxInt64)
	for p := range s.global.Partitions {
		m, ok := s.metas[p]
		if !ok {
			return window.None
		}
		through = min(through, m.ExpiredThrough)
	}
	return through
}

// Sweep removes what a store that was away for long may still hold of windows that have
// expired meanwhile: their tombstones may be compacted away, so the changelog no longer
// says it (KIP-534). It goes by the metas, never by a clock. Records of finals stay:
// their tombstones come after the metas say expired, so they may not be written yet, and
// an owner that no longer sees such a record would leave it in the changelog for ever.
func (s *State) Sweep() error {
	s.mu.Lock()
	through := make(map[int32]int64, len(s.metas))
	for p, m := range s.metas {
		through[p] = m.ExpiredThrough
	}
	s.mu.Unlock()
	for p, end := range through {
		// Each tombstone was compacted away on its own: drinks may be left of a window
		// whose numbers, which Expirable goes by, are gone.
		if err := s.sweep(p, func() ([]Change, bool, error) { return s.drinksThrough(p, end, sweepChunk) }); err != nil {
			return err
		}
		if err := s.sweep(p, func() ([]Change, bool, error) { return s.Expirable(p, end, sweepChunk) }); err != nil {
			return err
		}
	}
	return nil
}

const sweepChunk = 10_000

// sweep applies what next returns until it is done.
func (s *State) sweep(p int32, next func() (tombstones []Change, done bool, err error)) error {
	for {
		gone, done, err := next()
		if err == nil && len(gone) > 0 {
			err = s.Apply(p, gone, 0)
		}
		if err != nil || done {
			return err
		}
	}
}

// drinksThrough is at most limit tombstones of the drinks that partition p has in windows
// with an end at or before through. done says that nothing is left behind them.
func (s *State) drinksThrough(p int32, through int64, limit int) (tombstones []Change, done bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.checkpointLocked(false); err != nil {
		return nil, false, err
	}
	prefix := append(appendPartition(nil, countKind, p), 1)
	err = s.each(prefix, func(key, _ []byte) error {
		start, drink := startOf(key[:len(prefix)+8]), string(key[len(prefix)+8:])
		if s.opts.Window.Size.End(start) > through || len(tombstones) == limit {
			return errStop
		}
		tombstones = append(tombstones, Change{Kind: CountKind, Scope: window.At(start), Drink: drink, Deleted: true})
		return nil
	})
	return tombstones, len(tombstones) < limit, err
}

// Live calls f for every live changelog record of partition p, the meta last, and
// returns their number. The bytes are only valid during the call.
func (s *State) Live(p int32, f func(key, value []byte) error) (int, error) {
	s.mu.Lock()
	if err := s.checkpointLocked(false); err != nil {
		s.mu.Unlock()
		return 0, err
	}
	snapshot := s.db.NewSnapshot()
	s.scans.Add(1)
	s.mu.Unlock()
	defer s.scans.Done()
	defer snapshot.Close()
	n := 0
	var metaRecord []byte
	err := eachKey(snapshot, appendPartition(nil, recordKind, p), func(key, value []byte) error {
		n++
		if key = key[5:]; len(key) == 2 && key[0] == controlByte && key[1] == metaKey {
			metaRecord = append([]byte(nil), value...)
			return nil
		}
		return f(key, value)
	})
	if err == nil {
		err = liveCounts(snapshot, p, func(key, value []byte) error {
			n++
			return f(key, value)
		})
	}
	if err == nil && metaRecord != nil {
		err = f([]byte{controlByte, metaKey}, metaRecord)
	}
	return n, err
}

// liveCounts calls f for every count of partition p, as a changelog record.
func liveCounts(r pebble.Reader, p int32, f func(key, value []byte) error) error {
	prefix := appendPartition(nil, countKind, p)
	var record []byte
	return eachKey(r, prefix, func(key, value []byte) error {
		scope, drink, ok := cutScope(key[len(prefix):])
		if !ok {
			return corrupt(fmt.Errorf("count with the key %x", key))
		}
		record = window.AppendKey(record[:0], drink, scope)
		return f(record, value)
	})
}
