package engine

import (
	"fmt"
	"testing"

	"windowed/state"
	"windowed/window"
)

// TestNamesAreRenewed checks that a batch outgrows its names without a fault and that the
// next one starts with new ones, so that random names do not fill memory; and that
// partitions which share them go on with the same ones.
func TestNamesAreRenewed(t *testing.T) {
	cfg := Config{Window: hour}
	shared := names{limit: 1000}
	var parts [2]*Partition
	for i := range parts {
		p, err := NewPartition(int32(i), &cfg)
		if err != nil {
			t.Fatal(err)
		}
		p.names = &shared
		parts[i] = p
	}
	begin := func(p int) *Batch { return parts[p].Begin(state.NewMeta(0), window.None, window.None) }
	first, second := begin(0), begin(1)
	old := first.counts.Names()
	if second.counts.Names() != old {
		t.Fatal("two numberings for partitions that share one")
	}
	for i := 0; !old.Full(); i++ {
		first.counts.AddLate(old.ID(fmt.Appendf(nil, "drink %d", i)), 1)
	}
	keys := first.Keys()
	first.counts.AddLate(old.ID([]byte("one more")), 1)
	if first.Keys() != keys+1 {
		t.Fatalf("%d keys, want %d", first.Keys(), keys+1)
	}
	for _, b := range []*Batch{first, second} {
		b.Done()
	}
	for i := range parts {
		b := begin(i)
		if b.counts.Names() == old || b.counts.Names() != shared.now || b.Keys() > 0 {
			t.Fatal("the full names are still in use")
		}
		if len(parts[i].free) > 0 {
			t.Fatal("the memory of the full names is still held")
		}
		// The ids begin again; what they counted before must not show.
		b.counts.AddLate(shared.now.ID([]byte("drink 7")), 2)
		b.counts.Each(window.AllTime, func(id uint32, n uint64) {
			name := b.counts.Names().Name(id)
			if name.Drink != "drink 7" || n != 2 {
				t.Errorf("%d of %q, want 2 of drink 7", n, name.Drink)
			}
		})
	}
}
