package files

import (
	"errors"
	"io"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"
)

// TestLines compares chunks of any size with lines cut in the obvious way.
func TestLines(t *testing.T) {
	long := strings.Repeat("x", maxRecord-2)
	for _, text := range []string{
		"", "\n", "a", "a\n", "a\nb", "a\r\n\r\nb\r\n", "  \n\t\na \n", "\n\n\na\n\n", "a\rb\n",
		long + "\n", long + "y\n", long + "yz\n" + "a\n", long + "yzzz", long + long + "\nb\n", long + "\r\n\n" + long,
	} {
		var want []string
		for _, line := range strings.SplitAfter(text, "\n") {
			if line = strings.TrimRight(line[:min(len(line), maxRecord)], "\r\n"); strings.TrimSpace(line) != "" {
				want = append(want, line)
			}
		}
		sizes := []int{1, 2, 3, 5, 64}
		if len(text) > 1000 {
			sizes = []int{1000, 4096, 1 << 20, 3 << 20}
		}
		for _, size := range sizes {
			for _, in := range []io.Reader{strings.NewReader(text), iotest.HalfReader(strings.NewReader(text)), iotest.DataErrReader(strings.NewReader(text))} {
				file := &File{records: newLines(in, size)}
				if got := valuesOf(t, file); !reflect.DeepEqual(got, want) {
					t.Fatalf("%d lines of %.20q (%d bytes) in chunks of %d, want %d", len(got), text, len(text), size, len(want))
				}
			}
		}
	}
}

// valuesOf are the values of all records of a file.
func valuesOf(t *testing.T, file *File) (values []string) {
	t.Helper()
	for {
		value, err := file.Next()
		if errors.Is(err, io.EOF) {
			return values
		}
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, string(value))
	}
}

// TestChunkSizes: the records do not depend on the chunks, whatever the file is.
func TestChunkSizes(t *testing.T) {
	for name, text := range map[string]string{
		"a.jsonl": "{\"a\":1}\n\n{\"a\":2}\r\n  \n{\"a\":3}",
		"a.json":  " [ {\"a\":1} ,\n{\"a\":[2,{}]},3 ]\n",
		"a.csv":   "x,y\n1,\"two\nlines\"\n\n2,z\r\n",
	} {
		var want []string
		for _, size := range []int{1 << 20, 1, 7, 20} {
			file, err := Open(strings.NewReader(text), name, Options{ChunkSize: size})
			if err != nil {
				t.Fatal(err)
			}
			got := valuesOf(t, file)
			if want == nil {
				want = got
			}
			if len(got) < 2 || !reflect.DeepEqual(got, want) {
				t.Errorf("%s in chunks of %d: %q, want %q", name, size, got, want)
			}
			file.Close()
		}
	}
}

// TestErrorBehindRecords: what was read before an error is not lost, and the error stays.
func TestErrorBehindRecords(t *testing.T) {
	file, err := Open(strings.NewReader(`[{"a":1},{"a":2},{"a":`), "a.json", Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := file.Next(); err != nil {
			t.Fatal(err)
		}
	}
	for range 2 {
		if _, err := file.Next(); err == nil || !strings.Contains(err.Error(), "element 2") || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%v, want that element 2 ends early", err)
		}
	}
}
