package state

import (
	"encoding/hex"
	"math"
	"reflect"
	"strings"
	"testing"

	"windowed/internal/event"
	"windowed/watermark"
	"windowed/window"
)

// goldenMeta has another value in every field.
func goldenMeta() Meta {
	m := Meta{
		Next: 0x0102030405060708,
		Time: watermark.Partition{Watermark: 1772359200000, CloseThrough: -2, Idle: true},
		// None, the lowest time, is what a new partition has here.
		ExpiredThrough: window.None,
		Writer:         "drink-count-ä1",
		Counters: Counters{
			Records: 1, Counted: 2, Portions: 3, Late: 4, LatePortions: 5, LateIdle: 6, LateIdlePortions: 7,
			Amended: 8, AmendedPortions: 9, SkippedBatches: 10,
		},
	}
	for i := range m.TopicID {
		m.TopicID[i] = byte(0xA0 + i)
	}
	for i := range m.Counters.Invalid {
		m.Counters.Invalid[i] = uint64(0x20 + i)
	}
	return m
}

// The changelog is a public format: what is written today must be read for ever. These
// bytes change only together with the format version.
func TestGoldenChangelog(t *testing.T) {
	if event.NumReasons != 10 {
		t.Fatal("a reason was added: it is one more counter at the end of the meta")
	}
	cases := []struct {
		name       string
		change     Change
		key, value string
	}{
		{"count in a window", count(1772359200000, "latte", 0x0102030405060708),
			"6c61747465 3a 31373732333539323030303030", "0102030405060708"},
		{"count in a window before 1970", count(-10, "a:b", 1), "613a62 3a 2d3130", "0000000000000001"},
		{"count of all time", total("ä", math.MaxInt64), "c3a4 3a 616c6c", "7fffffffffffffff"},
		{"tombstone of a count", gone(5, "x"), "78 3a 35", ""},
		{"numbers", Change{Kind: NumbersKind, Scope: window.At(1772359200000), Numbers: &window.Numbers{Records: 1, Portions: 2, LateRecords: 3, LatePortions: 4}},
			"ff77 8000019ca8d72d00", "0001 0001 0000000000000001 0000000000000002 0000000000000003 0000000000000004"},
		{"numbers before 1970", numbers(-10, 1, 1), "ff77 7ffffffffffffff6",
			"0001 0001 0000000000000001 0000000000000001 0000000000000000 0000000000000000"},
		{"tombstone of numbers", numbersGone(0), "ff77 8000000000000000", ""},
		{"emitted", Change{Kind: EmittedKind, Scope: window.At(1772359200000), Emitted: &Emitted{Revision: 7, Total: 0x1122334455667788, At: 1772362860123}},
			"ff66 8000019ca8d72d00", "0001 0001 0000000000000007 1122334455667788 0000019ca90f065b"},
		{"tombstone of emitted", emittedGone(10), "ff66 800000000000000a", ""},
		{"global", global(Global{CloseThrough: 1772359200000, Partitions: 12, Fingerprint: Fingerprint{
			WindowSize: 3_600_000, Grace: 60_000, TimeField: "ts", TimeUnit: 2, LateMode: 1,
		}}), "ff67", "0001 0001 0000019ca8d72d00 000000000000000c 000000000036ee80 000000000000ea60 0002 7473 02 01"},
		{"global with a mapping", global(Global{CloseThrough: 1, Partitions: 2, Fingerprint: Fingerprint{TimeField: "t", TimeUnit: 1, Mapping: "items"}}), "ff67",
			"0001 0001 0000000000000001 0000000000000002 0000000000000000 0000000000000000 0007 74 00 6974656d73 01 00"},
		{"first global", global(Global{CloseThrough: window.None, Partitions: 1}), "ff67",
			"0001 0001 8000000000000000 0000000000000001 0000000000000000 0000000000000000 0000 00 00"},
		{"meta", meta(goldenMeta()), "ff6d", "0001 0001 0102030405060708 a0a1a2a3a4a5a6a7a8a9aaabacadaeaf" +
			" 0000019ca8d72d00 fffffffffffffffe 01 8000000000000000 000f 6472696e6b2d636f756e742dc3a431" +
			" 0000000000000001 0000000000000002 0000000000000003 0000000000000004 0000000000000005 0000000000000006" +
			" 0000000000000007 0000000000000008 0000000000000009 000000000000000a" +
			" 0a 0000000000000020 0000000000000021 0000000000000022 0000000000000023 0000000000000024" +
			" 0000000000000025 0000000000000026 0000000000000027 0000000000000028 0000000000000029"},
	}
	for _, c := range cases {
		checkHex(t, c.name+", key", c.change.AppendKey(nil), c.key)
		var value []byte
		if !c.change.Deleted {
			value = c.change.AppendValue(nil)
			checkHex(t, c.name+", value", value, c.value)
		}
		got, err := DecodeChange(c.change.AppendKey(nil), value)
		if err != nil || !reflect.DeepEqual(got, c.change) {
			t.Errorf("%s: reads as %+v, %v, want %+v", c.name, got, err, c.change)
		}
	}
}

func checkHex(t *testing.T, what string, got []byte, want string) {
	t.Helper()
	if want = strings.ReplaceAll(want, " ", ""); hex.EncodeToString(got) != want {
		t.Errorf("%s:\n got %x\nwant %s", what, got, want)
	}
}

// The keys and values in Pebble, which a newer program finds in an older store.
func TestGoldenStore(t *testing.T) {
	const start = 1772359200000
	r := newRanking(3)
	for _, e := range []Entry{{"tea", 2}, {"latte", 5}, {"ä", 2}, {"mocha", 1}} {
		r.update(e.Drink, e.Count)
	}
	cases := []struct {
		name string
		got  []byte
		want string
	}{
		{"count in a window", appendCountKey(nil, 12, "latte", window.At(start)), "02 0000000c 01 8000019ca8d72d00 6c61747465"},
		{"count of all time", appendCountKey(nil, 12, "latte", window.AllTime), "02 0000000c 00 6c61747465"},
		{"numbers", appendControlKey(nil, 12, numbersKey, start), "01 0000000c ff77 8000019ca8d72d00"},
		{"emitted", appendControlKey(nil, 0, emittedKey, start), "01 00000000 ff66 8000019ca8d72d00"},
		{"sum in a window", appendSumKey(nil, window.At(start), "latte"), "03 01 8000019ca8d72d00 6c61747465"},
		{"sum of all time", appendSumKey(nil, window.AllTime, "latte"), "03 00 6c61747465"},
		{"numbers of a window", appendScopeKey(nil, scopeKind, window.At(-10)), "04 01 7ffffffffffffff6"},
		{"numbers of all time", appendScopeKey(nil, scopeKind, window.AllTime), "04 00"},
		{"ranking of a window", appendScopeKey(nil, rankingKind, window.At(start)), "05 01 8000019ca8d72d00"},
		{"ranking of all time", appendScopeKey(nil, rankingKind, window.AllTime), "05 00"},
		{"position", appendPartition(nil, positionKind, 3), "06 00000003"},
		{"value of a position", appendPosition(nil, 0x0102030405060708), "0102030405060708"},
		{"value of a window's numbers", scopeNumbers{
			Numbers: window.Numbers{Records: 1, Portions: 2, LateRecords: 3, LatePortions: 4}, Drinks: 5,
		}.append(nil), "0000000000000001 0000000000000002 0000000000000003 0000000000000004 0000000000000005"},
		{"value of a ranking", r.append(nil), "0001 0001 00 00000003 00000003" +
			" 0000000000000005 0005 6c61747465 0000000000000002 0003 746561 0000000000000002 0002 c3a4"},
	}
	for _, c := range cases {
		checkHex(t, c.name, c.got, c.want)
	}
}

// TestGoldenStoreAsWritten checks that a State writes just these keys and values.
func TestGoldenStoreAsWritten(t *testing.T) {
	st := openMem(t)
	mustApply(t, st, 2, 9, numbers(-10, 1, 3), count(-10, "x", 3), total("x", 3))
	mustCheckpoint(t, st)
	want := []string{
		"00 = 02",
		"01 00000002 ff77 7ffffffffffffff6 = 0001 0001 0000000000000001 0000000000000003 0000000000000000 0000000000000000",
		"02 00000002 00 78 = 0000000000000003",
		"02 00000002 01 7ffffffffffffff6 78 = 0000000000000003",
		"03 00 78 = 0000000000000003",
		"03 01 7ffffffffffffff6 78 = 0000000000000003",
		"04 00 = 0000000000000000 0000000000000000 0000000000000000 0000000000000000 0000000000000001",
		"04 01 7ffffffffffffff6 = 0000000000000001 0000000000000003 0000000000000000 0000000000000000 0000000000000001",
		"06 00000002 = 0000000000000009",
		"07 00 = 0000000000000001",
		"07 01 = 0000000000000001",
	}
	var got []string
	if err := st.each(nil, func(key, value []byte) error {
		got = append(got, hex.EncodeToString(key)+"="+hex.EncodeToString(value))
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	if text := strings.ReplaceAll(strings.Join(want, "\n"), " ", ""); strings.Join(got, "\n") != text {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), text)
	}
}

// TestKeysSortAsWindowsDo: counts are read in order of window starts, drink by drink.
func TestKeysSortAsWindowsDo(t *testing.T) {
	starts := []int64{math.MinInt64, -3_600_000, -1, 0, 1, 3_600_000, 1772359200000, math.MaxInt64}
	for i, start := range starts {
		key := appendCountKey(nil, 1, "x", window.At(start))
		if got := startOf(key[:len(key)-1]); got != start {
			t.Errorf("%d reads back as %d", start, got)
		}
		if i > 0 && string(appendCountKey(nil, 1, "\xf4\x8f\xbf\xbf", window.At(starts[i-1]))) >= string(key) {
			t.Errorf("the key of %d does not sort before that of %d", starts[i-1], start)
		}
	}
}

func TestPrefixEnd(t *testing.T) {
	for prefix, want := range map[string]string{"\x01": "\x02", "a\xff": "b", "\x01\x00\x00\x00\xff\xff": "\x01\x00\x00\x01", "ab": "ac"} {
		if got := prefixEnd([]byte(prefix)); string(got) != want {
			t.Errorf("%x: %x, want %x", prefix, got, want)
		}
	}
	if got := prefixEnd([]byte("\xff\xff")); got != nil {
		t.Errorf("behind the last key: %x", got)
	}
}
