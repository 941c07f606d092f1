package wire

import (
	"math"

	"github.com/twmb/franz-go/pkg/sr"

	"windowed/internal/event"
)

// magic is the first byte of a value that has a header.
const magic = 0

// headerSize is the magic byte and the schema id.
const headerSize = 5

func isFramed(value []byte) bool { return len(value) > 0 && value[0] == magic }

// cutHeader takes the header off a value that has one.
func cutHeader(value []byte) (id uint32, payload []byte, fault *event.Error) {
	n, payload, err := new(sr.ConfluentHeader).DecodeID(value)
	if err != nil {
		return 0, nil, malformed("the value begins with the magic byte of a schema id and has %d bytes only; a header takes %d", len(value), headerSize)
	}
	if n > math.MaxInt32 {
		return 0, nil, malformed("the value begins with the magic byte of a schema id, but %d is none", n)
	}
	return uint32(n), payload, nil
}
