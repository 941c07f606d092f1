package main

import (
	"fmt"
	"strings"
	"testing"
)

// TestInspectEnvelopes finds the envelope of documents, and paths that begin within it; the
// command that is printed counts what is in them.
func TestInspectEnvelopes(t *testing.T) {
	document := func(i int) string {
		return fmt.Sprintf(`{"id":%d,"at":"2026-03-01T10:00:%02dZ","page":"/%d"}`, i, i, i%3)
	}
	timeless := func(i int) string { return fmt.Sprintf(`{"id":%d,"page":"/%d"}`, i, i%3) }
	const pages = "all-time\t1\t/0\t14\nall-time\t2\t/1\t13\nall-time\t3\t/2\t13\n"
	for name, c := range map[string]struct {
		wrap  func(i int) string
		flags string
		want  string
		says  string
	}{
		"none":    {document, "", pages, "time      at (RFC 3339"},
		"connect": {func(i int) string { return `{"schema":{"type":"struct"},"payload":` + document(i) + `}` }, "--envelope=connect", pages, "envelope  connect; paths begin in what it wraps\ntime      at (RFC"},
		"Debezium": {func(i int) string {
			return fmt.Sprintf(`{"before":null,"after":%s,"source":{"ts_ms":1772360150520,"table":"x%d"},"op":"%c"}`, document(i), i%2, "cruuuuuuu"[i%9])
		}, "--envelope=debezium", "all-time\t1\t/0\t5\nall-time\t2\t/1\t5\n", "as update"},
		"Debezium with its schema": {func(i int) string {
			return `{"schema":{"type":"struct"},"payload":{"before":null,"after":` + document(i) + `,"op":"r"}}`
		}, "--envelope=debezium", pages, "envelope  debezium"},
		"CloudEvents": {func(i int) string {
			return fmt.Sprintf(`{"specversion":"1.0","id":"%d","source":"s","type":"t","time":"2026-03-01T10:00:%02dZ","data":%s}`, i, i, timeless(i))
		}, "--envelope=cloudevents", pages, "time      that of the event"},
		"an op of another kind": {func(i int) string {
			return fmt.Sprintf(`{"at":"2026-03-01T10:00:%02dZ","op":"login","after":{"page":"/%d"},"before":null}`, i, i%3)
		}, "", pages, "count     after.page"},
	} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			for i := range 40 {
				text.WriteString(c.wrap(i) + "\n")
			}
			file := written(t, "a.jsonl", text.String())
			for _, given := range [][]string{nil, strings.Fields(c.flags)} {
				found := call(append([]string{"inspect", file}, given...)...)
				found.must(t, 0, c.says)
				command := printedCommand(t, found.out)
				if !strings.Contains(command, c.flags) || c.flags == "" && strings.Contains(command, "--envelope") {
					t.Fatalf("the command is %s", command)
				}
				got := call(append(words(command)[1:], "--scope=all-time")...)
				if got.code != 0 || got.out != c.want {
					t.Errorf("%s: exit %d, %s%s", command, got.code, got.out, got.err)
				}
			}
		})
	}
}
