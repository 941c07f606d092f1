package kafka_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kmsg"

	"windowed/internal/kafka"
)

// While the coordinator of the group moves, the brokers cannot say who its members are.
// That is an error and not a group without members: an instance that lives would be held
// for dead, and its transaction be ended.
func TestMembersUnknown(t *testing.T) {
	for _, code := range []*kerr.Error{kerr.CoordinatorLoadInProgress, kerr.NotCoordinator, kerr.CoordinatorNotAvailable} {
		for _, modern := range []bool{false, true} {
			virtual(t, 1, func(h *harness) {
				r := h.start()
				h.produce(0, one("latte", time.Now()))
				r.counted(1)
				cfg := h.cfg
				cfg.Instance = "b"
				admin, err := kafka.NewAdmin(&cfg)
				if err != nil {
					t.Fatal(err)
				}
				if n, err := admin.Others(context.Background()); n != 1 || err != nil {
					t.Errorf("%d others, error %v; want one", n, err)
				}
				key := kmsg.DescribeGroups
				if modern {
					key = kmsg.ConsumerGroupDescribe
				}
				h.cluster.ControlKey(key.Int16(), func(req kmsg.Request) (kmsg.Response, error, bool) {
					h.cluster.KeepControl()
					return moving(req, code.Code), nil, true
				})
				if n, err := admin.Others(context.Background()); !errors.Is(err, code) {
					t.Errorf("modern %t: %d others, error %v; want %v", modern, n, err, code)
				}
				admin.Close()
				if err := r.stop(); err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// moving is an answer about a group whose coordinator moves.
func moving(req kmsg.Request, code int16) kmsg.Response {
	if req, ok := req.(*kmsg.DescribeGroupsRequest); ok {
		resp := req.ResponseKind().(*kmsg.DescribeGroupsResponse)
		g := kmsg.NewDescribeGroupsResponseGroup()
		g.Group, g.ErrorCode = req.Groups[0], code
		resp.Groups = append(resp.Groups, g)
		return resp
	}
	resp := req.ResponseKind().(*kmsg.ConsumerGroupDescribeResponse)
	g := kmsg.NewConsumerGroupDescribeResponseGroup()
	g.Group, g.ErrorCode = req.(*kmsg.ConsumerGroupDescribeRequest).Groups[0], code
	resp.Groups = append(resp.Groups, g)
	return resp
}
