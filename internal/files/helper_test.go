package files

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// read is all records of a file, each in quotes, and the error at its end.
func read(text, name string, o Options) string {
	f, err := Open(strings.NewReader(text), name, o)
	if err != nil {
		return "not opened: " + err.Error()
	}
	defer f.Close()
	var all []string
	for {
		value, err := f.Next()
		if errors.Is(err, io.EOF) {
			return strings.Join(all, " ")
		}
		if err != nil {
			return strings.Join(append(all, "error: "+err.Error()), " ")
		}
		all = append(all, fmt.Sprintf("%q", value))
	}
}

func check(t *testing.T, what, have, want string) {
	t.Helper()
	if have != want {
		t.Errorf("%s:\nhave %s\nwant %s", what, cut(have), cut(want))
	}
}

func cut(text string) string {
	if len(text) > 500 {
		return fmt.Sprintf("%s... (%d bytes)", text[:500], len(text))
	}
	return text
}

func gzipped(text string) string {
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	_, _ = z.Write([]byte(text))
	_ = z.Close()
	return b.String()
}

func zstded(text string) string {
	z, _ := zstd.NewWriter(nil)
	return string(z.EncodeAll([]byte(text), nil))
}
