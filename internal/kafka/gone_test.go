package kafka_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"

	"windowed/internal/engine"
)

// A topic that is deleted and does not come back ends the program, whether something is
// under way when it goes or not, and whether the session notices or has just been made
// anew: without a topic nothing is assigned, and no fetch fails.
func TestTopicGoneForGood(t *testing.T) {
	for _, topic := range []string{testTopics.Orders, testTopics.Changelog} {
		for name, before := range map[string]bool{"while running": false, "before the session": true} {
			t.Run(topic+" "+name, func(t *testing.T) {
				virtual(t, 1, func(h *harness) {
					remove := func() {
						cl := h.client()
						defer cl.Close()
						if _, err := kadm.NewClient(cl).DeleteTopic(context.Background(), topic); err != nil {
							t.Fatal(err)
						}
					}
					if before {
						remove()
					}
					r := h.start()
					if !before {
						h.produce(0, one("latte", time.Now()))
						r.counted(1)
						remove()
					}
					select {
					case err := <-r.done:
						if !errors.Is(err, engine.ErrFatal) || !strings.Contains(err.Error(), topic) || !strings.Contains(err.Error(), "operations.md") {
							t.Errorf("it ends with %v", err)
						}
						_ = r.st.Close()
					case <-time.After(time.Minute):
						t.Errorf("it goes on: %+v", h.status.Now())
						_ = r.stop()
					}
				})
			})
		}
	}
}
