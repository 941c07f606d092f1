package kafka

import (
	"os"
	"slices"
	"testing"

	"github.com/twmb/franz-go/pkg/kmsg"
)

// In all tests, memory that is given back is made useless.
func TestMain(m *testing.M) {
	poison = true
	os.Exit(m.Run())
}

// The memory of an answer is used again when all that came with it is counted, and not
// before.
func TestAnswerMemory(t *testing.T) {
	r := kmsg.Record{Value: []byte("tea")}
	r.Length = int32(len(r.AppendTo(nil)) - 1)
	batch := sealed(kmsg.RecordBatch{Magic: 2, NumRecords: 1, Records: r.AppendTo(nil)})
	f := testFetcher()
	memory := newAnswer(2 * max(len(batch), smallAnswer))
	copy(memory.bytes, slices.Repeat(batch, 2))
	memory.left.Store(2)
	one, _, _ := f.newChunk(0, 0, memory.bytes[:len(batch)], memory)
	other, _, _ := f.newChunk(1, 0, memory.bytes[len(batch):2*len(batch)], memory)
	if got := all(one); len(got) != 1 || string(got[0].Value) != "tea" {
		t.Fatalf("read %v", got)
	}
	one.Done()
	if got := all(other); len(got) != 1 || string(got[0].Value) != "tea" {
		t.Errorf("the records of the other partition are gone: %v, %v", got, other.Err())
	}
	other.Done()
	if memory.bytes[0] != 0xdb {
		t.Error("the memory was not given back")
	}
}
