package state

import (
	"bytes"
	"errors"
	"math"
	"reflect"
	"testing"

	"windowed/internal/event"
	"windowed/window"
)

// samples is one changelog record of every kind.
func samples() []Change {
	return []Change{
		count(1772359200000, "latte", 5), count(-10, "a:b", 1), total("ä", math.MaxInt64), gone(5, "x"),
		{Kind: CountKind, Scope: window.AllTime, Drink: "x", Deleted: true},
		{Kind: NumbersKind, Scope: window.At(10), Numbers: &window.Numbers{Records: 1, Portions: 2, LateRecords: 3, LatePortions: 4}},
		numbersGone(-10), emitted(10, 7, 8), emittedGone(10),
		meta(goldenMeta()), meta(NewMeta(0)),
		global(Global{CloseThrough: 5, Partitions: 12, Fingerprint: Fingerprint{WindowSize: 10, Grace: 1, TimeField: "ts", TimeUnit: 2, LateMode: 1}}),
	}
}

// controls are the samples with a value that has a version.
func controls() (all []Change) {
	for _, c := range samples() {
		if c.Kind != CountKind && !c.Deleted {
			all = append(all, c)
		}
	}
	return all
}

// TestNewerVersions: a value that says that older readers may not read it is refused,
// one that says they may is read, with more behind the known fields.
func TestNewerVersions(t *testing.T) {
	for _, c := range controls() {
		key, value := c.AppendKey(nil), c.AppendValue(nil)
		value[1], value[3] = 2, 2
		if _, err := DecodeChange(key, value); !errors.Is(err, ErrFormat) || errors.Is(corrupt(err), ErrCorrupt) {
			t.Errorf("%x: %v, want ErrFormat, and no damage if the local store holds it", key, err)
		}
		value[3] = 1
		got, err := DecodeChange(key, append(value, "more"...))
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Errorf("%x, a newer version: %+v, %v, want %+v", key, got, err, c)
		}
		for _, header := range [][4]byte{{0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 0, 1}, {0xFF, 0xFF, 0xFF, 0xFF}, {1, 0, 1, 0}} {
			copy(value, header[:])
			if _, err := DecodeChange(key, value); !errors.Is(err, ErrFormat) {
				t.Errorf("%x with header %x: %v, want ErrFormat", key, header, err)
			}
		}
	}
}

// TestCutAndPaddedValues: no value is read that is not whole.
func TestCutAndPaddedValues(t *testing.T) {
	for _, c := range samples() {
		if c.Deleted {
			continue
		}
		key, value := c.AppendKey(nil), c.AppendValue(nil)
		for n := range value {
			if got, err := DecodeChange(key, value[:n]); !errors.Is(err, ErrFormat) {
				t.Fatalf("%x, cut to %d bytes: %+v, %v, want ErrFormat", key, n, got, err)
			}
		}
		if got, err := DecodeChange(key, append(value, 0)); !errors.Is(err, ErrFormat) {
			t.Errorf("%x with a byte more: %+v, %v, want ErrFormat", key, got, err)
		}
	}
}

func TestDecodeChangeRefuses(t *testing.T) {
	eight := []byte{0, 0, 0, 0, 0, 0, 0, 1}
	numbersValue := numbers(0, 1, 1).value()
	global := global(Global{Partitions: 1}).value()
	global[12] = 1 // more partitions than an int32 holds
	revision := emitted(0, 1, 1).value()
	revision[7] = 1 // a revision beyond a uint32
	idle := meta(goldenMeta()).value()
	idle[4+8+16+16] = 2
	cases := []struct {
		name       string
		key, value []byte
	}{
		{"no key", nil, eight},
		{"no drink", []byte(":5"), eight},
		{"window start not canonical", []byte("x:05"), eight},
		{"invalid UTF-8", []byte("a\xff:5"), eight},
		{"invalid UTF-8, a tombstone", []byte("a\xff:5"), nil},
		{"empty value, no tombstone", []byte("x:5"), []byte{}},
		{"count of zero", []byte("x:5"), make([]byte, 8)},
		{"count beyond int64", []byte("x:5"), []byte{0x80, 0, 0, 0, 0, 0, 0, 0}},
		{"control byte only", []byte("\xff"), numbersValue},
		{"unknown control key", []byte("\xffx"), numbersValue},
		{"unknown control key, a tombstone", []byte("\xffx"), nil},
		{"unknown control key with a window", []byte("\xffx\x80\x00\x00\x00\x00\x00\x00\x00"), numbersValue},
		{"unknown control key like a count", []byte("\xffx:5"), eight},
		{"meta with a window", []byte("\xffm\x80\x00\x00\x00\x00\x00\x00\x00"), meta(NewMeta(0)).value()},
		{"numbers without a window", []byte("\xffw"), numbersValue},
		{"numbers, window cut", []byte("\xffw\x80\x00\x00\x00\x00\x00\x00"), numbersValue},
		{"numbers, window padded", []byte("\xffw\x80\x00\x00\x00\x00\x00\x00\x00\x00"), numbersValue},
		{"tombstone of the meta", []byte("\xffm"), nil},
		{"tombstone of the global record", []byte("\xffg"), nil},
		{"too many partitions", []byte("\xffg"), global},
		{"revision too high", []byte("\xfff\x80\x00\x00\x00\x00\x00\x00\x00"), revision},
		{"idle is neither yes nor no", []byte("\xffm"), idle},
	}
	for _, c := range cases {
		if got, err := DecodeChange(c.key, c.value); !errors.Is(err, ErrFormat) {
			t.Errorf("%s: %+v, %v, want ErrFormat", c.name, got, err)
		}
	}
}

func (c Change) value() []byte { return c.AppendValue(nil) }

// TestMoreReasons: a meta of a program with more reasons for refusing a record, or with
// fewer, is read.
func TestMoreReasons(t *testing.T) {
	m := goldenMeta()
	value := meta(m).value()
	reasons := len(value) - 8*event.NumReasons - 1
	more := append(bytes.Clone(value), 0, 0, 0, 0, 0, 0, 0, 1)
	more[reasons]++
	if got, err := DecodeChange([]byte("\xffm"), more); err != nil || *got.Meta != m {
		t.Errorf("one reason more: %+v, %v", got.Meta, err)
	}
	fewer := bytes.Clone(value[:len(value)-8])
	fewer[reasons]--
	m.Counters.Invalid[event.NumReasons-1] = 0
	if got, err := DecodeChange([]byte("\xffm"), fewer); err != nil || *got.Meta != m {
		t.Errorf("one reason fewer: %+v, %v", got.Meta, err)
	}
}

// FuzzDecodeChange checks that nothing makes the decoder panic, that what it reads is
// written as the same bytes, and that it neither keeps nor changes what it was given.
func FuzzDecodeChange(f *testing.F) {
	for _, c := range samples() {
		if f.Add(c.AppendKey(nil), []byte(nil), true); !c.Deleted {
			f.Add(c.AppendKey(nil), c.AppendValue(nil), false)
		}
	}
	f.Fuzz(func(t *testing.T, key, value []byte, tombstone bool) {
		if value == nil {
			value = []byte{}
		}
		if tombstone {
			value = nil
		}
		keyBefore, valueBefore := bytes.Clone(key), bytes.Clone(value)
		c, err := DecodeChange(key, value)
		if !bytes.Equal(key, keyBefore) || !bytes.Equal(value, valueBefore) {
			t.Fatal("the input was written to")
		}
		if err != nil {
			if !errors.Is(err, ErrFormat) {
				t.Fatalf("%v is no ErrFormat", err)
			}
			return
		}
		clear(key)
		clear(value)
		if again := c.AppendKey(nil); !bytes.Equal(again, keyBefore) || c.Deleted != tombstone {
			t.Fatalf("key %x of %x, deleted %v of %v", again, keyBefore, c.Deleted, tombstone)
		}
		if tombstone {
			return
		}
		again := c.AppendValue(nil)
		if c.Kind == CountKind || valueBefore[0] == 0 && valueBefore[1] == 1 && len(valueBefore) == len(again) {
			if !bytes.Equal(again, valueBefore) {
				t.Fatalf("value %x, was %x", again, valueBefore)
			}
			return
		}
		// Of a newer version, or with another number of reasons.
		if back, err := DecodeChange(keyBefore, again); err != nil || !reflect.DeepEqual(back, c) {
			t.Fatalf("reads back as %+v, %v, was %+v", back, err, c)
		}
	})
}
