package main

import (
	"bytes"
	"os"
	"path/filepath"
	"reflect"
	"testing"
)

func TestFileHoldsTheOrders(t *testing.T) {
	w := small()
	w.Partitions = 1
	file := filepath.Join(t.TempDir(), "orders.jsonl")
	if err := writeFile(file, w); err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile(file); err != nil || !bytes.Equal(got, textOf(w, 0)) {
		t.Errorf("the file differs from the orders (%v)", err)
	}
}

func TestReplayAnswer(t *testing.T) {
	file := filepath.Join(t.TempDir(), "out.tsv")
	text := "1970-01-01T01:00:00Z\t1\ta\t7\n1970-01-01T01:00:00.500Z\t1\tb\t1\nall-time\t1\ta\t8\n"
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	want := Answer{"3600000": {"a": 7}, "3600500": {"b": 1}, allTime: {"a": 8}}
	if got, err := (&replaying{}).read(file); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, %v, want %v", got, err, want)
	}
}

func TestShortened(t *testing.T) {
	got := shortened(Answer{allTime: {"a": 1, "b": 2, "c": 2}}, 2)
	if want := (Answer{allTime: {"b": 2, "c": 2}}); !reflect.DeepEqual(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
