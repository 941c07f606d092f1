package files

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
)

// kinds are files that are often at hand, by their first bytes, and cannot be read.
var kinds = []struct{ magic, name string }{
	{"Obj\x01", "an Avro file"},
	{"PAR1", "a Parquet file"},
	{"ORC", "an ORC file"},
	{"PK\x03\x04", "a zip archive"},
	{"BZh", "packed by bzip2"},
	{"\xfd7zXZ\x00", "packed by xz"},
	{"\x04\x22\x4d\x18", "packed by lz4"},
	{"\xff\xfe", "in UTF-16"},
	{"\xfe\xff", "in UTF-16"},
}

// foreign refuses a file that is of another kind: none of its records could be read.
func foreign(text *bufio.Reader) error {
	head, _ := text.Peek(8)
	for _, k := range kinds {
		if bytes.HasPrefix(head, []byte(k.magic)) {
			return fmt.Errorf("this is %s; files are JSON lines, a JSON array, CSV or TSV in UTF-8, as they are or packed by gzip or zstd", k.name)
		}
	}
	if len(head) > 0 && head[0] == 0 {
		return errors.New("it begins with a zero byte, as values with a schema id do: they have bytes that end lines, so a file of lines cannot hold them; count them from their topic, with --schema-registry")
	}
	return nil
}
