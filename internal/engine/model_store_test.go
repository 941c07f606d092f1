package engine

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"

	"github.com/cockroachdb/pebble/v2"

	"windowed/state"
	"windowed/window"
)

// The kinds of Pebble keys, by their first byte (state/key.go).
const (
	recordKey = iota + 1
	countKey
	sumKey
	scopeKey
	rankingKey
)

// checkStore reads a closed store key by key: the records and counts are those of the
// logs, the sums agree with them, and nothing is left of expired windows.
func (w *world) checkStore(in *instance) (err error) {
	db, err := pebble.Open("state", &pebble.Options{
		FS: in.fs, Logger: quietLog{}, ReadOnly: true, FormatMajorVersion: pebble.FormatColumnarBlocks, Merger: state.Merger,
	})
	if err != nil {
		return err
	}
	defer db.Close()
	it, err := db.NewIter(nil)
	if err != nil {
		return err
	}
	defer it.Close()
	stored := newShadow()
	sums := map[window.Scope]map[string]uint64{}
	for ok := it.First(); ok; ok = it.Next() {
		k, v := it.Key(), it.Value()
		switch k[0] {
		case recordKey:
			c, err := state.DecodeChange(k[5:], v)
			if err != nil {
				return err
			}
			stored.apply(int32(binary.BigEndian.Uint32(k[1:])), []state.Change{c})
		case countKey:
			scope, drink := scopeAt(k[5:])
			stored.apply(int32(binary.BigEndian.Uint32(k[1:])), []state.Change{{
				Kind: state.CountKind, Scope: scope, Drink: string(drink), Count: binary.BigEndian.Uint64(v),
			}})
		case sumKey, scopeKey, rankingKey:
			scope, rest := scopeAt(k[1:])
			if !scope.AllTime && w.cfg.Window.End(scope.Start) <= w.expirable() {
				return fmt.Errorf("the store still has key %x of the expired window of %d", k, scope.Start)
			}
			if k[0] == sumKey {
				if sums[scope] == nil {
					sums[scope] = map[string]uint64{}
				}
				sums[scope][string(rest)] = binary.BigEndian.Uint64(v)
			}
		}
	}
	return in.compareStore(stored, sums)
}

func startAt(b []byte) int64 { return int64(binary.BigEndian.Uint64(b) ^ 1<<63) }

func scopeAt(k []byte) (scope window.Scope, rest []byte) {
	if k[0] == 0 {
		return window.AllTime, k[1:]
	}
	return window.At(startAt(k[1:])), k[9:]
}

func (in *instance) compareStore(stored *shadow, sums map[window.Scope]map[string]uint64) error {
	want := in.shadow
	if !maps.Equal(stored.counts, want.counts) || !maps.Equal(stored.numbers, want.numbers) ||
		!maps.Equal(stored.metas, want.metas) || !maps.Equal(stored.emitted, want.emitted) {
		return fmt.Errorf("the store holds %+v\nwant %+v", stored, want)
	}
	wantSums := map[window.Scope]map[string]uint64{}
	for k, n := range want.counts {
		if wantSums[k.scope] == nil {
			wantSums[k.scope] = map[string]uint64{}
		}
		wantSums[k.scope][k.drink] += n
	}
	if !maps.EqualFunc(sums, wantSums, maps.Equal[map[string]uint64, map[string]uint64]) {
		return fmt.Errorf("the sums are %v\nwant %v", sums, wantSums)
	}
	if len(wantSums) > math.MaxInt16 {
		return fmt.Errorf("model: %d scopes", len(wantSums))
	}
	return nil
}
