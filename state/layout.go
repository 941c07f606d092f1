package state

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2"
)

// layoutKey holds the version of the keys in Pebble, which every checkpoint writes. A store
// with keys of another layout is made again from the changelog.
var (
	layoutKey     = []byte{layoutKind}
	layoutVersion = []byte{2}
)

// loadLayout checks that the store is empty, or of this layout.
func (s *State) loadLayout() error {
	value, closer, err := s.db.Get(layoutKey)
	if err == nil {
		defer closer.Close()
		if !bytes.Equal(value, layoutVersion) {
			return corrupt(fmt.Errorf("the store has layout %x, and this program makes %x", value, layoutVersion))
		}
		return nil
	}
	if !errors.Is(err, pebble.ErrNotFound) {
		return corrupt(fmt.Errorf("read the layout: %w", err))
	}
	empty := true
	if err := s.each(nil, func(_, _ []byte) error {
		empty = false
		return errStop
	}); err != nil || empty {
		return err
	}
	return corrupt(errors.New("the store was made by an older program"))
}
