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
	text, err := b.logEnd()
	if err != nil {
		return []byte(err.Error())
	}
	return tail(text)
}

func (b *Broker) logEnd() ([]byte, error) {
	f, err := os.Open(b.LogPath())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(f, max(0, info.Size()-tailBytes), tailBytes))
}

// logTails is the end of every broker's log, for error texts.
func (c *Cluster) logTails() string {
	var text strings.Builder
	for _, b := range c.brokers {
		fmt.Fprintf(&text, "--- end of %s\n%s\n", b.LogPath(), b.logTail())
	}
	return text.String()
}
