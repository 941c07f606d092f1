package engine

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/cockroachdb/datadriven"
)

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }

// TestConformance runs small cases that the tests, documents and bug reports of other
// systems state as facts: ids C are Kafka Streams and ksqlDB, ids T are Flink and the
// newer engines. testdata/conformance/README.md explains the script. An id whose
// case is about something there is no counterpart of says why it does not apply.
func TestConformance(t *testing.T) {
	seen := map[string]bool{}
	for _, file := range []string{"kafka-streams.txt", "engines.txt"} {
		datadriven.RunTest(t, filepath.Join("testdata", "conformance", file), func(t *testing.T, d *datadriven.TestData) string {
			var id string
			d.ScanArgs(t, "id", &id)
			seen[id] = true
			switch d.Cmd {
			case "not-applicable":
				return ""
			case "case":
				s := newScript(t, d)
				defer s.close()
				return s.run(d.Input)
			}
			d.Fatalf(t, "unknown command %s", d.Cmd)
			return ""
		})
	}
	if t.Failed() {
		return // the rest of a file is not run
	}
	for prefix, last := range map[string]int{"C": 43, "T": 36} {
		for i := 1; i <= last; i++ {
			if id := prefix + strconv.Itoa(i); !seen[id] {
				t.Errorf("no case %s", id)
			}
		}
	}
}
