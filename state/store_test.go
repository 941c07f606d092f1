package state

import (
	"encoding/binary"
	"maps"
	"slices"

	"windowed/window"
)

// checkStore writes a checkpoint and compares every key in Pebble with what the model
// says must be there, and every ranking, in memory or stored, with the sums.
func (m *model) checkStore(t fataler, st *State) {
	t.Helper()
	mustCheckpoint(t, st)
	got := make(map[string]string)
	if err := st.each(nil, func(key, value []byte) error {
		got[string(key)] = string(value)
		return nil
	}); err != nil {
		t.Fatalf("%v", err)
	}
	want := m.store()
	for key, value := range got {
		switch key[0] {
		case rankingKind:
			m.checkStoredRanking(t, st, []byte(key), []byte(value))
		case chainKind, layoutKind:
		case positionKind:
			p := int32(binary.BigEndian.Uint32([]byte(key[1:])))
			if offset := binary.BigEndian.Uint64([]byte(value)); st.Position(p) != int64(offset) {
				t.Fatalf("stored position %d of partition %d, want %d", offset, p, st.Position(p))
			}
		default:
			if w, ok := want[key]; !ok || w != value {
				t.Fatalf("key %x holds %x, want %x (%v)", key, value, w, ok)
			}
			delete(want, key)
		}
	}
	if len(want) > 0 {
		t.Fatalf("missing from the store: %x", slices.Sorted(maps.Keys(want)))
	}
	m.checkRankings(t, st)
	checkCells(t, st)
}

// store is what Pebble must hold but for rankings and positions.
func (m *model) store() map[string]string {
	want := make(map[string]string)
	for p := range int32(testPartitions) {
		for key, value := range m.records(p) {
			if key[0] == controlByte {
				want[string(appendPartition(nil, recordKind, p))+key] = value
			}
		}
		for scope, drinks := range m.counts[p] {
			for drink, n := range drinks {
				want[string(appendCountKey(nil, p, drink, scope))] = string(appendU64(nil, n))
			}
		}
	}
	for _, scope := range m.scopes() {
		sums := m.sums(scope)
		for drink, n := range sums {
			want[string(appendSumKey(nil, scope, drink))] = string(appendU64(nil, n))
		}
		n := scopeNumbers{Drinks: uint64(len(sums))}
		if w, ok := m.window(scope.Start); ok && !scope.AllTime {
			n.Numbers = w.Numbers
		}
		if n != (scopeNumbers{}) {
			want[string(appendScopeKey(nil, scopeKind, scope))] = string(n.append(nil))
		}
	}
	return want
}

func (m *model) checkStoredRanking(t fataler, st *State, key, value []byte) {
	t.Helper()
	scope := window.AllTime
	if key[1] == 1 {
		scope = window.At(startOf(key))
	}
	if r, ok := st.rankings.m[scope]; ok && !r.complete {
		return // the one in memory answers, and every checkpoint writes it
	}
	all := m.top(scope)
	if len(all) == 0 {
		t.Fatalf("a ranking of %v is stored, which has no drinks", scope)
	}
	top, ok, err := storedRanking(value, 0)
	for n := 1; ok && err == nil && n <= len(all) && len(top) == n-1; n++ {
		top, ok, err = storedRanking(value, n)
	}
	if err != nil || !slices.Equal(top, all[:len(top)]) {
		t.Fatalf("stored ranking of %v: %v, %v, want the beginning of %v", scope, top, err, all)
	}
	if complete := value[4] == 1; complete && len(top) != len(all) {
		t.Fatalf("stored ranking of %v says that %v is all of %v", scope, top, all)
	}
}

// checkRankings compares the rankings in memory with the model.
func (m *model) checkRankings(t fataler, st *State) {
	t.Helper()
	windows := 0
	for scope, r := range st.rankings.m {
		if !scope.AllTime {
			windows++
		}
		all := m.top(scope)
		top := r.top(nil, len(all)+1)
		if len(all) == 0 || len(top) != len(r.counts) || !slices.Equal(top, all[:len(top)]) {
			t.Fatalf("ranking of %v: %v with %d counts, want the beginning of %v", scope, top, len(r.counts), all)
		}
		if r.complete != (len(top) == len(all)) && r.complete || !r.complete && len(top) != st.opts.RankCapacity || len(top) > st.opts.RankCapacity {
			t.Fatalf("ranking of %v: complete %v with %d of %d entries, capacity %d", scope, r.complete, len(top), len(all), st.opts.RankCapacity)
		}
	}
	if windows > st.opts.RankWindows {
		t.Fatalf("%d rankings of windows in memory, want at most %d", windows, st.opts.RankWindows)
	}
}

// checkCells checks the layer in front of Pebble, whose clean cells are bounded.
func checkCells(t fataler, st *State) {
	t.Helper()
	dirty := 0
	for key, c := range st.cells.m {
		if c.dirty {
			dirty++
		}
		if key[0] == rankingKind && !c.dirty {
			t.Fatalf("a stored ranking is kept in memory: %x", key)
		}
	}
	if dirty != len(st.cells.dirty) {
		t.Fatalf("%d dirty cells, but %d in the list", dirty, len(st.cells.dirty))
	}
	if clean := len(st.cells.m) - dirty; clean > st.cells.maxClean {
		t.Fatalf("%d clean cells, want at most %d", clean, st.cells.maxClean)
	}
	checkTables(t, st.counts)
}

// checkTables checks what the layer of counts knows of itself.
func checkTables(t fataler, l *counts) {
	t.Helper()
	used, news, refs := 0, 0, make([]uint32, len(l.drinks.names))
	check := func(table *table) {
		slots, dirty, live := 0, 0, 0
		for i := range table.slots {
			s := &table.slots[i]
			if s.tag == 0 {
				continue
			}
			if table.find(s.id()) != s {
				t.Fatalf("the count of %q is not found", l.drinks.names[s.id()])
			}
			slots++
			refs[s.id()]++
			if s.count() > 0 {
				live++
			}
			if s.dirty() {
				dirty++
			}
		}
		if slots != table.used || dirty != len(table.dirty) || live != table.live {
			t.Fatalf("%d counts, %d dirty, %d that exist; the table says %d, %d, %d", slots, dirty, live, table.used, len(table.dirty), table.live)
		}
		used, news = used+slots, news+dirty
	}
	for _, g := range l.groups {
		check(g.sums)
		for _, p := range g.parts {
			check(p)
		}
	}
	if used != l.used || news != l.news {
		t.Fatalf("%d counts, %d dirty, but it says %d and %d", used, news, l.used, l.news)
	}
	for id, n := range refs {
		if name := l.drinks.names[id]; n != l.drinks.refs[id] || name != "" && l.drinks.ids[name] != uint32(id) || name == "" && n > 0 {
			t.Fatalf("drink %d, %q: %d counts, but it says %d", id, name, n, l.drinks.refs[id])
		}
	}
}
