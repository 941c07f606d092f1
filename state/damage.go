package state

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/cockroachdb/pebble/v2"
)

// corrupt marks err as damage of the local store, which a new store heals. It does not
// when a newer program wrote the store, or when the process or the disk has run out of
// something or may not use it.
func corrupt(err error) error {
	if errors.Is(err, errNewer) || errors.Is(err, os.ErrPermission) {
		return err
	}
	for _, limit := range []error{
		syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM,
	} {
		if errors.Is(err, limit) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", ErrCorrupt, err)
}

// foundDamage takes note of damage that Pebble meets, in a read or in the background.
// Without it Pebble would end the process, and at the next start do so again.
func (s *State) foundDamage(info pebble.DataCorruptionInfo) {
	err := corrupt(fmt.Errorf("%s", info))
	s.found.CompareAndSwap(nil, &err)
}

// usable says why the state must not be used any more: it is closed, an Apply failed
// halfway, or Pebble found damage.
func (s *State) usable() error {
	if s.cells.failed != nil {
		return s.cells.failed
	}
	if err := s.found.Load(); err != nil {
		return *err
	}
	return nil
}
