package kafka

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	"github.com/twmb/franz-go/pkg/kadm"
	"github.com/twmb/franz-go/pkg/kbin"
	"github.com/twmb/franz-go/pkg/kerr"
	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
	"github.com/twmb/franz-go/pkg/sasl"
)

// conn is a connection to a broker for fetches alone. The client would read each answer
// into memory of its own; with one of 2 MiB after the other, that and the garbage
// collection for it is a quarter of all CPU (docs/performance.md). This one reads them
// into memory that is used again. One goroutine uses it.
type conn struct {
	net.Conn
	broker      kgo.BrokerMetadata
	hook        kgo.Hook // nil: none
	format      *kmsg.RequestFormatter
	request     []byte // the last one
	correlation int32
	version     int16       // of fetches
	used        time.Time   // last
	ends        time.Time   // the broker wants to know anew who we are (KIP-368); zero: never
	throttled   time.Time   // until when it asks us to wait (KIP-219)
	forget      func() bool // that the end of the fetcher closes it
}

const (
	// connTimeout is how long a broker may take for an answer that does not wait for records.
	connTimeout = 10 * time.Second
	// connIdle is for how long a connection is used again: brokers close it after 10 minutes.
	connIdle = time.Minute
	// oldestFetch is the version of fetches of Kafka 2.3; byName is the last one whose topics
	// have names and no ids.
	oldestFetch = 11
	byName      = 12
)

// connect opens a connection that is closed at the end of ctx.
func connect(ctx context.Context, cfg *Config, b kadm.BrokerDetail, hook kgo.Hook) (*conn, error) {
	host := net.JoinHostPort(b.Host, strconv.Itoa(int(b.Port)))
	began := time.Now()
	dial, cancel := context.WithTimeout(ctx, connTimeout)
	defer cancel()
	raw, err := cfg.dial(dial, host)
	c := &conn{
		Conn: raw, broker: b, hook: hook, format: kmsg.NewRequestFormatter(kmsg.FormatterClientID(cfg.memberID())),
	}
	if h, ok := hook.(kgo.HookBrokerConnect); ok {
		h.OnBrokerConnect(b, time.Since(began), raw, err)
	}
	if err != nil {
		return nil, err
	}
	c.forget = context.AfterFunc(ctx, func() { raw.Close() })
	if err = c.agree(); err == nil {
		err = c.authenticate(ctx, &cfg.Security, host)
	}
	if err != nil {
		c.close()
		return nil, err
	}
	return c, nil
}

func (c *conn) close() {
	c.forget()
	_ = c.Close()
	if h, ok := c.hook.(kgo.HookBrokerDisconnect); ok {
		h.OnBrokerDisconnect(c.broker, c.Conn)
	}
}

// old says whether another connection is to be opened before the next request.
func (c *conn) old() bool {
	now := time.Now()
	return now.Sub(c.used) > connIdle || !c.ends.IsZero() && now.After(c.ends)
}

// agree finds the version of fetches that both sides know (KIP-35).
func (c *conn) agree() error {
	resp, err := c.ask(kmsg.NewPtrApiVersionsRequest())
	if err != nil {
		return err
	}
	for _, key := range resp.(*kmsg.ApiVersionsResponse).ApiKeys {
		if key.ApiKey == int16(kmsg.Fetch) {
			c.version = min(key.MaxVersion, kmsg.NewPtrFetchRequest().MaxVersion())
		}
	}
	if c.version < oldestFetch {
		return fmt.Errorf("the broker's newest version of fetches is %d, and %d is needed", c.version, oldestFetch)
	}
	return nil
}

// authenticate says who we are, if the brokers want to know (KIP-152).
func (c *conn) authenticate(ctx context.Context, s *Security, host string) error {
	mechanism, err := s.mechanism()
	if mechanism == nil || err != nil {
		return err
	}
	hello := kmsg.NewPtrSASLHandshakeRequest()
	hello.Version, hello.Mechanism = 1, mechanism.Name()
	resp, err := c.ask(hello)
	if err == nil {
		err = kerr.ErrorForCode(resp.(*kmsg.SASLHandshakeResponse).ErrorCode)
	}
	if err != nil {
		return err
	}
	session, say, err := mechanism.Authenticate(ctx, host)
	for done := false; err == nil && (!done || len(say) > 0); {
		done, say, err = c.challenge(session, say, done)
	}
	return err
}

// challenge is one turn of an authentication, the last one without a new challenge.
func (c *conn) challenge(session sasl.Session, say []byte, done bool) (bool, []byte, error) {
	req := kmsg.NewPtrSASLAuthenticateRequest()
	req.Version, req.SASLAuthBytes = 1, say
	began := time.Now()
	r, err := c.ask(req)
	if err != nil {
		return done, nil, err
	}
	resp := r.(*kmsg.SASLAuthenticateResponse)
	if err := kerr.ErrorForCode(resp.ErrorCode); err != nil {
		return done, nil, err
	}
	if life := resp.SessionLifetimeMillis; life > 0 {
		c.ends = began.Add(time.Duration(min(life, int64(24*time.Hour/time.Millisecond))) * time.Millisecond * 4 / 5)
	}
	if done {
		return true, nil, nil
	}
	return session.Challenge(resp.SASLAuthBytes)
}

// ask is for requests other than fetches.
func (c *conn) ask(req kmsg.Request) (kmsg.Response, error) {
	resp, _, err := c.send(req, connTimeout)
	return resp, err
}

// fetch asks for records. The answer's record batches lie in memory.
func (c *conn) fetch(ctx context.Context, req *kmsg.FetchRequest) (*kmsg.FetchResponse, *answer, error) {
	if wait := time.Until(c.throttled); wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return nil, nil, ctx.Err()
		}
	}
	req.Version = c.version
	if req.Topics[0].TopicID == [16]byte{} {
		req.Version = min(c.version, byName)
	}
	r, memory, err := c.send(req, time.Duration(req.MaxWaitMillis)*time.Millisecond+connTimeout)
	if err != nil {
		return nil, nil, err
	}
	resp := r.(*kmsg.FetchResponse)
	if wait := time.Duration(resp.ThrottleMillis) * time.Millisecond; wait > 0 {
		c.throttled = c.used.Add(wait)
		if h, ok := c.hook.(kgo.HookBrokerThrottle); ok {
			h.OnBrokerThrottle(c.broker, wait, true)
		}
	}
	return resp, memory, nil
}

// send sends a request and returns the answer to it, which lies in memory.
func (c *conn) send(req kmsg.Request, limit time.Duration) (kmsg.Response, *answer, error) {
	c.correlation++
	c.request = c.format.AppendRequest(c.request[:0], req, c.correlation)
	began := time.Now()
	if err := c.SetDeadline(began.Add(limit)); err != nil {
		return nil, nil, err
	}
	var e kgo.BrokerE2E
	e.BytesWritten, e.WriteErr = c.Write(c.request)
	e.TimeToWrite = time.Since(began)
	var memory *answer
	if e.WriteErr == nil {
		memory, e.BytesRead, e.ReadErr = c.receive()
	}
	c.used = time.Now()
	e.TimeToRead = c.used.Sub(began) - e.TimeToWrite
	c.tell(req.Key(), e)
	if err := e.Err(); err != nil {
		return nil, nil, err
	}
	body := kbin.Reader{Src: memory.bytes}
	if req.IsFlexible() {
		kmsg.SkipTags(&body)
	}
	resp := req.ResponseKind()
	if err := resp.ReadFrom(body.Src); err != nil {
		return nil, nil, fmt.Errorf("read the answer to a %s request: %w", kmsg.NameForKey(req.Key()), err)
	}
	return resp, memory, nil
}

// tell tells the hook of a request, as the client does.
func (c *conn) tell(key int16, e kgo.BrokerE2E) {
	if h, ok := c.hook.(kgo.HookBrokerWrite); ok {
		h.OnBrokerWrite(c.broker, key, e.BytesWritten, 0, e.TimeToWrite, e.WriteErr)
	}
	if h, ok := c.hook.(kgo.HookBrokerRead); ok && e.WriteErr == nil {
		h.OnBrokerRead(c.broker, key, e.BytesRead, 0, e.TimeToRead, e.ReadErr)
	}
	if h, ok := c.hook.(kgo.HookBrokerE2E); ok {
		h.OnBrokerE2E(c.broker, key, e)
	}
}

// receive reads an answer: its length, the number of the request, and what comes behind.
func (c *conn) receive() (memory *answer, n int, err error) {
	var head [8]byte
	if n, err = io.ReadFull(c, head[:]); err != nil {
		return nil, n, err
	}
	size, correlation := int(int32(binary.BigEndian.Uint32(head[:])))-4, int32(binary.BigEndian.Uint32(head[4:]))
	if size < 0 || size > maxReadBytes || correlation != c.correlation {
		return nil, n, fmt.Errorf("an answer of %d bytes to request %d came, for request %d", size, correlation, c.correlation)
	}
	memory = newAnswer(size)
	got, err := io.ReadFull(c, memory.bytes)
	return memory, n + got, err
}
