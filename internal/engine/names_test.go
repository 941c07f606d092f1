package engine

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"windowed/internal/event"
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
		b.counts.Each(window.AllTime, func(id uint32, n uint64) bool {
			name := b.counts.Names().Name(id)
			if name.Drink != "drink 7" || n != 2 {
				t.Errorf("%d of %q, want 2 of drink 7", n, name.Drink)
			}
			return true
		})
	}
}

// TestNamesTakeTheOrderOfTheState: a partition that met its drinks in another order than the
// state goes through them in order of the state from its third batch on, and counts as
// before; the one that met them first keeps its numbering.
func TestNamesTakeTheOrderOfTheState(t *testing.T) {
	const drinks, rounds = manyDrinks + 1000, 4
	j := newJob(t, Config{Window: hour}, 2)
	defer j.close()
	r := rand.New(rand.NewPCG(1, 2))
	var first [2]*window.Names
	for round := range rounds {
		for p := range j.parts {
			b := j.begin(p)
			if round == 0 {
				first[p] = b.counts.Names()
			}
			order := r.Perm(drinks)
			if p == 0 {
				slices.Sort(order)
			}
			for _, i := range order {
				name := fmt.Sprintf("drink %d", i)
				b.Add(&Record{Offset: b.Meta.Next, Record: event.Record{Value: fmt.Appendf(nil,
					`{"ts":"2026-01-01T00:00:00Z","items":[{"drink":%q,"quantity":%d}]}`, name, 1+i%7)}}, j.now)
			}
			j.commit(map[int]*Batch{p: b}, &Emission{})
		}
	}
	for p, part := range j.parts {
		names := part.names.get()
		if same := names == first[p]; same != (p == 0) || names.Len() != drinks {
			t.Errorf("partition %d: the numbering of %d drinks is the first one: %t", p, names.Len(), same)
		}
		for id := uint32(1); id < uint32(names.Len()); id++ {
			if names.Name(id).Mark <= names.Name(id-1).Mark {
				t.Fatalf("partition %d: %+v comes behind %+v", p, names.Name(id), names.Name(id-1))
			}
		}
	}
	for i := range drinks {
		drink, want := fmt.Sprintf("drink %d", i), uint64(rounds*(1+i%7))
		for p := range j.parts {
			if got, err := j.st.Count(int32(p), drink, window.AllTime); err != nil || got != want {
				t.Fatalf("partition %d: %s was ordered %d times, %v, want %d", p, drink, got, err, want)
			}
		}
	}
}
