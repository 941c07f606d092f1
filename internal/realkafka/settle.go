package realkafka

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Settle waits until the transactions that were decided by now, committed or
// aborted, can be read as such. A client's End returns when the coordinator has
// noted the decision; the markers that make the records readable follow later,
// on a busy machine a good while later. Open transactions are not waited for.
func (c *Cluster) Settle(ctx context.Context) error {
	var pending map[string]bool
	return c.wait(ctx, lookupWait, "the markers of decided transactions", func(ctx context.Context) error {
		decided, err := c.decided(ctx)
		if err != nil {
			return err
		}
		if pending == nil {
			pending = decided
		}
		// One seen without a decision is done: what it decides on next is
		// none of this call's business.
		maps.DeleteFunc(pending, func(id string, _ bool) bool { return !decided[id] })
		if len(pending) > 0 {
			return fmt.Errorf("transactions %q still lack markers", slices.Sorted(maps.Keys(pending)))
		}
		return nil
	})
}

// decided returns the transactional ids whose markers are being written.
func (c *Cluster) decided(ctx context.Context) (map[string]bool, error) {
	ids := map[string]bool{}
	for _, b := range c.brokers {
		if !b.Running() {
			continue
		}
		req := kmsg.NewPtrListTransactionsRequest()
		req.StateFilters = []string{"PrepareCommit", "PrepareAbort"}
		resp, err := req.RequestWith(ctx, b)
		if err != nil {
			return nil, fmt.Errorf("list the transactions of broker %d: %w", b.ID, err)
		}
		if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
			return nil, fmt.Errorf("list the transactions of broker %d: %w", b.ID, err)
		}
		for _, txn := range resp.TransactionStates {
			ids[txn.TransactionalID] = true
		}
	}
	return ids, nil
}
