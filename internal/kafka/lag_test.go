package kafka_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// TestLag: the lag of an orders topic that is written in transactions goes by last stable
// offsets, so that it is 0 once all is counted: neither markers nor an open transaction
// leave any. They are asked for only while somebody looks.
func TestLag(t *testing.T) {
	virtual(t, 1, func(h *harness) {
		now := time.Now()
		cl := h.client(kgo.TransactionalID("orders"))
		defer cl.Close()
		write := func(commit bool) {
			t.Helper()
			if err := cl.BeginTransaction(); err != nil {
				t.Fatal(err)
			}
			order := &kgo.Record{Topic: testTopics.Orders, Value: []byte(one("tea", now))}
			if err := cl.ProduceSync(context.Background(), order).FirstErr(); err != nil {
				t.Fatal(err)
			}
			if commit {
				if err := cl.EndTransaction(context.Background(), kgo.TryCommit); err != nil {
					t.Fatal(err)
				}
			}
		}
		write(true)
		r := h.start()
		pass := func() {
			time.Sleep(3 * time.Second)
			synctest.Wait()
		}
		look := func() (lag, end int64) {
			t.Helper()
			pass()
			m, _ := r.st.Meta(0)
			end, ok := h.status.Now().Ends.Orders[0]
			if !ok {
				t.Fatalf("no last stable offset: %+v", h.status.Now())
			}
			return end - m.Next, end
		}
		pass()
		if at := h.status.Now().Ends.At; !at.IsZero() {
			t.Errorf("asked for at %v, though nobody looks", at)
		}
		h.status.WantEnds()
		if lag, end := look(); lag != 0 || end != 2 {
			t.Errorf("an order and its marker: lag %d, end %d", lag, end)
		}
		write(false) // it stays open
		if lag, end := look(); lag != 0 || end != 2 {
			t.Errorf("an open transaction: lag %d, end %d", lag, end)
		}
		if err := cl.EndTransaction(context.Background(), kgo.TryCommit); err != nil {
			t.Fatal(err)
		}
		if lag, end := look(); lag != 0 || end != 4 {
			t.Errorf("after its end: lag %d, end %d", lag, end)
		}
		write(false)
		if err := cl.EndTransaction(context.Background(), kgo.TryAbort); err != nil {
			t.Fatal(err)
		}
		if lag, end := look(); lag != 0 || end != 6 {
			t.Errorf("an aborted transaction: lag %d, end %d", lag, end)
		}
		status := h.status.Now()
		if _, ok := status.Ends.Changelog[0]; !ok || status.Counted.Records != 2 || status.Counted.Portions != 2 || status.CommitTimes.Count != status.Commits {
			t.Errorf("%+v", status)
		}
		if err := r.stop(); err != nil {
			t.Error(err)
		}
	})
}
