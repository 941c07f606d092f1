package state

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/cockroachdb/pebble/v2"
)

// Pebble takes a cut MANIFEST for its end and opens an older version of the store, with
// the newest log on top: what was flushed between them is gone, without an error. So
// every checkpoint adds one to a counter by a merge, and sets another key to what the
// counter must be. If a checkpoint in the middle is missing, they differ.

// Merger is the merger of the store: it adds up numbers. Pebble opens a store with the
// merger it was made with only.
var Merger = &pebble.Merger{
	Name: "windowed.sum",
	Merge: func(_, value []byte) (pebble.ValueMerger, error) {
		m := new(sumMerger)
		return m, m.MergeNewer(value)
	},
}

type sumMerger struct{ sum uint64 }

func (m *sumMerger) MergeNewer(value []byte) error {
	if len(value) != 8 {
		return fmt.Errorf("merge of %d bytes", len(value))
	}
	m.sum += binary.BigEndian.Uint64(value)
	return nil
}

func (m *sumMerger) MergeOlder(value []byte) error { return m.MergeNewer(value) }

func (m *sumMerger) Finish(bool) ([]byte, io.Closer, error) {
	return binary.BigEndian.AppendUint64(nil, m.sum), nil, nil
}

var errMissing = errors.New("checkpoints are missing")

var (
	chainKey  = []byte{chainKind, 0} // the checkpoints that are there
	chainedAt = []byte{chainKind, 1} // how many there must be
)

// chain makes batch the next checkpoint.
func (s *State) chain(batch *pebble.Batch) error {
	if err := batch.Merge(chainKey, appendU64(nil, 1), nil); err != nil {
		return err
	}
	if err := batch.Set(layoutKey, layoutVersion, nil); err != nil {
		return err
	}
	return batch.Set(chainedAt, appendU64(nil, s.checkpoints+1), nil)
}

// loadChain checks that no checkpoint is missing.
func (s *State) loadChain() error {
	var found [2]uint64
	if err := s.each([]byte{chainKind}, func(key, value []byte) error {
		if len(key) != 2 || key[1] > 1 || len(value) != 8 {
			return corrupt(fmt.Errorf("checkpoint counter %x = %x", key, value))
		}
		found[key[1]] = binary.BigEndian.Uint64(value)
		return nil
	}); err != nil {
		return err
	}
	if found[0] != found[1] {
		return corrupt(fmt.Errorf("%w: %d of %d are left", errMissing, found[0], found[1]))
	}
	s.checkpoints = found[1]
	return nil
}
