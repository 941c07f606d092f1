package realkafka

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	tailLines = 15
	tailBytes = 16 << 10
)

// tail returns the last lines of text.
func tail(text []byte) []byte {
	text = bytes.TrimRight(text, "\n")
	lines := bytes.Split(text, []byte("\n"))
	return bytes.Join(lines[max(0, len(lines)-tailLines):], []byte("\n"))
}

// logTail returns the last lines of the broker's log, or why there are none.
func (b *Broker) logTail() []byte {
	f, err := os.Open(b.LogPath())
	if err != nil {
		return []byte(err.Error())
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.Size() > tailBytes {
		f.Seek(-tailBytes, io.SeekEnd)
	}
	text, err := io.ReadAll(f)
	if err != nil {
		return []byte(err.Error())
	}
	return tail(text)
}

// logTails is the end of every broker's log, for error texts.
func (c *Cluster) logTails() string {
	var text strings.Builder
	for _, b := range c.brokers {
		fmt.Fprintf(&text, "--- end of %s\n%s\n", b.LogPath(), b.logTail())
	}
	return text.String()
}
