package kafka

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kfake"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/kversion"
)

// certificate is one for 127.0.0.1, and the file that says to trust it.
func certificate(t *testing.T) (*tls.Config, string) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	of := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der, err := x509.CreateCertificate(rand.Reader, of, of, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "ca.pem")
	if err := os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600); err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}}, file
}

// fetchable is a broker with a topic of one record per value.
func fetchable(t *testing.T, s Security, values [][]byte, opts ...kfake.Opt) (*Config, kadm.Metadata) {
	t.Helper()
	cluster, err := kfake.NewCluster(append(opts, kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(cluster.Close)
	cfg := &Config{Brokers: cluster.ListenAddrs(), Security: s, Topics: Topics{Orders: "orders"}, ClientID: "test", Instance: "a"}
	cl, err := cfg.client(kgo.DefaultProduceTopic("orders"))
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	for _, v := range values {
		if err := cl.ProduceSync(context.Background(), &kgo.Record{Value: v}).FirstErr(); err != nil {
			t.Fatal(err)
		}
	}
	about, err := kadm.NewClient(cl).Metadata(context.Background(), "orders")
	if err != nil {
		t.Fatal(err)
	}
	return cfg, about
}

// ordersAt asks for the orders from an offset on.
func ordersAt(about kadm.Metadata, offset int64) *kmsg.FetchRequest {
	req := kmsg.NewPtrFetchRequest()
	req.MaxWaitMillis, req.MinBytes, req.MaxBytes = 100, 1, fetchMaxBytes
	topic, p := kmsg.NewFetchRequestTopic(), kmsg.NewFetchRequestTopicPartition()
	p.FetchOffset, p.PartitionMaxBytes = offset, fetchMaxPartBytes
	topic.Topic, topic.TopicID, topic.Partitions = "orders", about.Topics["orders"].ID, []kmsg.FetchRequestTopicPartition{p}
	req.Topics = append(req.Topics, topic)
	return req
}

// fetchAll reads so many values by a connection of its own.
func fetchAll(c *conn, about kadm.Metadata, n int) (values [][]byte, err error) {
	for next := int64(0); len(values) < n; {
		resp, memory, err := c.fetch(context.Background(), ordersAt(about, next))
		if err != nil {
			return nil, err
		}
		if err := kerr.ErrorForCode(resp.Topics[0].Partitions[0].ErrorCode); err != nil {
			return nil, err
		}
		k, behind, ok := testFetcher().newChunk(0, next, resp.Topics[0].Partitions[0].RecordBatches, memory)
		if !ok {
			return nil, fmt.Errorf("nothing came at %d", next)
		}
		memory.left.Store(1)
		for _, r := range all(k) {
			values = append(values, r.Value)
		}
		k.Done()
		next = behind
	}
	return values, nil
}

// traffic counts the bytes of a connection.
type traffic struct{ read, written int }

func (h *traffic) OnBrokerE2E(_ kgo.BrokerMetadata, _ int16, e kgo.BrokerE2E) {
	h.read += e.BytesRead
	h.written += e.BytesWritten
}

// A broker that wants us to wait is asked again when the time has come (KIP-219).
func TestConnThrottled(t *testing.T) {
	cluster := kfake.MustCluster(kfake.NumBrokers(1), kfake.SeedTopics(1, "orders"))
	defer cluster.Close()
	cfg := &Config{Brokers: cluster.ListenAddrs(), Topics: Topics{Orders: "orders"}}
	cl, err := cfg.client()
	if err != nil {
		t.Fatal(err)
	}
	defer cl.Close()
	about, err := kadm.NewClient(cl).Metadata(context.Background(), "orders")
	if err != nil {
		t.Fatal(err)
	}
	c, err := connect(context.Background(), cfg, about.Brokers[0], nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.close()
	cluster.ControlKey(int16(kmsg.Fetch), func(req kmsg.Request) (kmsg.Response, error, bool) {
		resp := req.ResponseKind().(*kmsg.FetchResponse)
		resp.ThrottleMillis = 300
		return resp, nil, true
	})
	began := time.Now()
	for range 2 {
		if _, _, err := c.fetch(context.Background(), ordersAt(about, 0)); err != nil {
			t.Fatal(err)
		}
	}
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("asked again after %v", took)
	}
}

func TestConn(t *testing.T) {
	server, ca := certificate(t)
	var values [][]byte
	for i := range 5 { // the largest ones lie in memory that is used again
		values = append(values, bytes.Repeat([]byte{byte('a' + i)}, 1+i*200_000))
	}
	encrypted, login := kfake.TLS(server), kfake.EnableSASL()
	user := func(method string) kfake.Opt { return kfake.Superuser(method, "shop", "secret") }
	for _, c := range []struct {
		name string
		s    Security
		opts []kfake.Opt
	}{
		{"plain", Security{}, nil},
		{"tls", Security{CAFile: ca}, []kfake.Opt{encrypted}},
		{"sasl plain", Security{Mechanism: "PLAIN", Username: "shop", Password: "secret", Insecure: true}, []kfake.Opt{login, user("PLAIN")}},
		{"scram 256", Security{Mechanism: "SCRAM-SHA-256", Username: "shop", Password: "secret"}, []kfake.Opt{login, user("SCRAM-SHA-256")}},
		{"scram 512 and tls", Security{CAFile: ca, Mechanism: "SCRAM-SHA-512", Username: "shop", Password: "secret"}, []kfake.Opt{encrypted, login, user("SCRAM-SHA-512")}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg, about := fetchable(t, c.s, values, c.opts...)
			var hook traffic
			conn, err := connect(context.Background(), cfg, about.Brokers[0], &hook)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.close()
			for range 2 { // into memory that was given back
				got, err := fetchAll(conn, about, len(values))
				if err != nil {
					t.Fatal(err)
				}
				for i := range values {
					if !bytes.Equal(got[i], values[i]) {
						t.Errorf("value %d has %d bytes, %.20q, want %d, %.20q", i, len(got[i]), got[i], len(values[i]), values[i])
					}
				}
			}
			if hook.read < 100_000 || hook.written == 0 {
				t.Errorf("the metrics know of %d bytes read and %d written", hook.read, hook.written)
			}
			if c.s.Mechanism == "" {
				return
			}
			wrong := *cfg
			wrong.Security.Password = "another"
			if _, err := connect(context.Background(), &wrong, about.Brokers[0], nil); err == nil {
				t.Error("connected with a wrong password")
			}
		})
	}
}

// What a connection cannot do is an error, for the client's consumer to take over.
func TestConnErrors(t *testing.T) {
	cfg, about := fetchable(t, Security{}, [][]byte{[]byte("tea")})
	broker := about.Brokers[0]
	ctx, cancel := context.WithCancel(context.Background())
	c, err := connect(ctx, cfg, broker, nil)
	if err != nil {
		t.Fatal(err)
	}
	if c.old() {
		t.Error("a new connection is old")
	}
	c.ends = time.Now().Add(-time.Millisecond)
	if !c.old() {
		t.Error("it is used when the broker wants to know anew who we are")
	}
	c.ends, c.used = time.Time{}, time.Now().Add(-2*connIdle)
	if !c.old() {
		t.Error("it is used though the broker may have closed it")
	}
	cancel() // while an answer is waited for, or before it
	req := ordersAt(about, 1)
	req.MaxWaitMillis = 60_000
	if _, _, err := c.fetch(context.Background(), req); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the fetcher has ended: error %v", err)
	}
	c.throttled = time.Now().Add(time.Hour)
	if _, _, err := c.fetch(ctx, req); !errors.Is(err, context.Canceled) {
		t.Errorf("the fetcher has ended, and waits: error %v", err)
	}
	c.close()

	old := kversion.Stable()
	old.SetMaxKeyVersion(int16(kmsg.Fetch), oldestFetch-1)
	cfg, about = fetchable(t, Security{}, [][]byte{[]byte("tea")}, kfake.MaxVersions(old))
	if _, err := connect(context.Background(), cfg, about.Brokers[0], nil); err == nil || !strings.Contains(err.Error(), "11 is needed") {
		t.Errorf("an old broker: error %v", err)
	}
}

// An answer that is none to the request, or is none at all, is an error.
func TestConnWrongAnswers(t *testing.T) {
	for name, bytes := range map[string][]byte{
		"another number": {0, 0, 0, 8, 0, 0, 0, 9, 0, 0, 0, 0},
		"too short":      {0, 0, 0, 3, 0, 0, 0},
		"too long":       {0x7f, 0, 0, 0, 0, 0, 0, 1},
		"below 0":        {0xff, 0, 0, 0, 0, 0, 0, 1},
		"cut":            {0, 0, 0, 8, 0, 0, 0, 1, 0, 0},
		"nothing":        {},
		"no such answer": {0, 0, 0, 8, 0, 0, 0, 1, 0, 0, 0, 0},
	} {
		us, broker := net.Pipe()
		go func() {
			_, _ = broker.Read(make([]byte, 100))
			_, _ = broker.Write(bytes)
			_ = broker.Close()
		}()
		cfg := &Config{Dialer: func(context.Context, string, string) (net.Conn, error) { return us, nil }}
		if _, err := connect(context.Background(), cfg, kadm.BrokerDetail{}, nil); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}
