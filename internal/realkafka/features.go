package realkafka

import (
	"context"
	"fmt"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// wantFeatures are the least levels tests rely on: the second transaction
// protocol, and groups of KIP-848.
var wantFeatures = map[string]int16{
	"transaction.version": 2,
	"group.version":       1,
}

// Features returns the cluster's finalized features and their levels.
func (c *Cluster) Features(ctx context.Context) (map[string]int16, error) {
	features := map[string]int16{}
	err := c.wait(ctx, lookupWait, "the finalized features", func(ctx context.Context) error {
		b, err := c.any()
		if err != nil {
			return err
		}
		req := kmsg.NewPtrApiVersionsRequest()
		req.ClientSoftwareName, req.ClientSoftwareVersion = "realkafka", "1"
		resp, err := req.RequestWith(ctx, b)
		if err != nil {
			return err
		}
		for _, f := range resp.FinalizedFeatures {
			features[f.Name] = f.MaxVersionLevel
		}
		return kerr.ErrorForCode(resp.ErrorCode)
	})
	return features, err
}

// checkFeatures fails when the brokers speak older protocols than meant, which
// they do without a word when a data directory was made the wrong way.
func (c *Cluster) checkFeatures(ctx context.Context) error {
	features, err := c.Features(ctx)
	if err != nil {
		return err
	}
	for name, least := range wantFeatures {
		if features[name] < least {
			return fmt.Errorf("the cluster has %s=%d, want at least %d: all features are %v", name, features[name], least, features)
		}
	}
	return nil
}
