package kafka

import (
	"sync"
	"sync/atomic"

	"windowed/internal/fault"
)

// answer is the memory of what a broker has answered. It is used for another answer once
// all partitions of it are done; without that it is garbage.
type answer struct {
	bytes []byte
	left  atomic.Int32 // partitions whose records are not done
}

// answerSize is what the memory of an answer holds: all that a fetch may bring, and what
// it says about it.
const answerSize = fetchMaxBytes + 64<<10

// smallAnswer is from where on an answer gets memory that is used again.
const smallAnswer = 32 << 10

// answers are free. The garbage collector takes those that nobody has wanted for a while.
var answers = sync.Pool{New: func() any { return &answer{bytes: make([]byte, answerSize)} }}

// newAnswer is memory for an answer of so many bytes.
func newAnswer(size int) *answer {
	if size < smallAnswer || size > answerSize { // or a record batch that is larger than a fetch may bring
		return &answer{bytes: make([]byte, size)}
	}
	a := answers.Get().(*answer)
	a.bytes = a.bytes[:size]
	return a
}

// done gives the memory back when it is called for the last partition.
func (a *answer) done() {
	if a.left.Add(-1) == 0 || fault.Planted(fault.MemoryTooSoon) {
		a.free()
	}
}

// free gives the memory back. Nobody reads it any more.
func (a *answer) free() {
	if cap(a.bytes) != answerSize {
		return
	}
	a.bytes = a.bytes[:answerSize]
	useless(a.bytes)
	answers.Put(a)
}

// poison is for tests to see who still reads memory that was given back.
var poison = fault.Enabled

// useless makes memory useless that is given back, if there is poison.
func useless(b []byte) {
	if poison {
		for i := range b {
			b[i] = 0xdb
		}
	}
}
