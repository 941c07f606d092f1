package kafka_test

import (
	"context"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
)

// The client that writes may hear of a new orders partition before the changelog has
// grown, and then owns a partition whose changelog it does not know yet. It must not take
// that for an error that never heals.
func TestGrowBehindTheClient(t *testing.T) {
	for _, atLeastOnce := range []bool{false, true} {
		virtual(t, 1, func(h *harness) {
			h.cfg.AtLeastOnce, h.cfg.MetadataMaxAge, h.countEvery = atLeastOnce, 10*time.Second, 4*time.Second
			r := h.start()
			h.produce(0, one("latte", time.Now()))
			r.counted(1)
			for range 9 { // the moments at which the two look, in all orders
				cl := h.client()
				counted := r.st.Totals().Records
				n, err := kadm.NewClient(cl).ListTopics(context.Background(), testTopics.Orders)
				if err != nil {
					t.Fatal(err)
				}
				p := len(n[testTopics.Orders].Partitions)
				if _, err := kadm.NewClient(cl).UpdatePartitions(context.Background(), p+1, testTopics.Orders); err != nil {
					t.Fatal(err)
				}
				cl.Close()
				h.produce(int32(p), one("latte", time.Now()))
				r.counted(counted + 1)
				time.Sleep(13*time.Second + 300*time.Millisecond)
			}
			r.exact(10)
			if err := r.stop(); err != nil {
				t.Error(err)
			}
		})
	}
}
