package wire

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/twmb/franz-go/pkg/sr"
)

// Schemas are the schemas of a registry by their id. An id means the same for ever, so
// what is known is never asked for again. Safe for concurrent use.
type Schemas struct {
	config Config
	client *sr.Client
	ctx    context.Context
	stop   context.CancelFunc
	asking sync.WaitGroup
	turns  chan struct{} // bounds the requests at a time

	known atomic.Pointer[map[uint32]*schema] // those that are for ever; the map does not change

	mu       sync.Mutex
	missing  map[uint32]absence
	pending  map[uint32]bool
	versions map[string]sr.SubjectSchema
	changed  chan struct{}
	trouble  string
	told     time.Time
	stats    Stats
}

// absence is an id that is not registered.
type absence struct {
	schema *schema // what its records are refused with
	since  time.Time
}

// Stats count what a Schemas has done.
type Stats struct {
	Known       int    // schemas
	Missing     int    // ids that are not registered, as far as is known
	Fetches     uint64 // answers of the registry, good ones and that something is missing
	Errors      uint64 // requests that failed
	LastError   string // "": none
	LastErrorAt time.Time
}

const (
	atOnce = 4
	// maxMissing ids that are not registered are remembered, and what one poll brings: records of something else
	// that begin with a zero have as many ids as there are.
	maxMissing = 10_000
)

// NewSchemas returns the schemas of the registry, which it does not ask before one is
// needed.
func NewSchemas(c Config) (*Schemas, error) {
	client, err := c.client()
	if err != nil {
		return nil, err
	}
	c.grace, c.keep, c.pause = cmp.Or(c.grace, askGrace), cmp.Or(c.keep, keepMissing), cmp.Or(c.pause, firstPause)
	s := &Schemas{
		config: c, client: client, turns: make(chan struct{}, atOnce), missing: make(map[uint32]absence),
		pending: make(map[uint32]bool), versions: make(map[string]sr.SubjectSchema), changed: make(chan struct{}),
	}
	s.ctx, s.stop = context.WithCancel(context.Background())
	s.known.Store(new(map[uint32]*schema))
	return s, nil
}

// Close ends what is being fetched.
func (s *Schemas) Close() {
	s.stop()
	s.asking.Wait()
}

// Ready says whether a record with the given value, which was just read, can be decoded.
// If not, its schema is being fetched; Known says when that is done. An id that was not
// registered some time ago is asked for again.
func (s *Schemas) Ready(value []byte) bool { return s.ready(value, s.config.keep) }

// Known says the same of a record that Ready was asked about before. It is content with
// what is known, however old: of very many ids that are not registered, the first would be
// due again before the last is done.
func (s *Schemas) Known(value []byte) bool { return s.ready(value, forever) }

const forever = time.Duration(math.MaxInt64)

func (s *Schemas) ready(value []byte, keep time.Duration) bool {
	if !isFramed(value) || len(value) < headerSize {
		return true
	}
	id, _, fault := cutHeader(value)
	if fault != nil || (*s.known.Load())[id] != nil {
		return true
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	gone, ok := s.missing[id]
	switch {
	case s.pending[id]:
		return false
	case ok && time.Since(gone.since) < keep:
		return true
	case len(s.missing) >= maxMissing && len(s.pending) == 0 && keep != forever:
		s.forget()
	}
	s.pending[id] = true
	s.asking.Add(1)
	go s.fetch(id, ok)
	return false
}

// Changed is closed when more is known than now.
func (s *Schemas) Changed() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.changed
}

// Trouble is why the registry cannot be asked, and "" if it can.
func (s *Schemas) Trouble() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.trouble
}

// Await waits until a record with the given value can be decoded, or ctx ends.
func (s *Schemas) Await(ctx context.Context, value []byte) error {
	if s.Ready(value) {
		return nil
	}
	for {
		changed := s.Changed()
		if s.Known(value) {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Stats are the counts so far.
func (s *Schemas) Stats() Stats {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.stats
	now.Known, now.Missing = len(*s.known.Load()), len(s.missing)
	return now
}

// get returns what is known of an id; nil is nothing.
func (s *Schemas) get(id uint32) *schema {
	if known := (*s.known.Load())[id]; known != nil {
		return known
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.missing[id].schema
}

// fetch asks for an id until something is known of it. A registry that does not answer, or
// says that it cannot, is asked on: that says nothing about the records.
func (s *Schemas) fetch(id uint32, again bool) {
	defer s.asking.Done()
	began, pause := time.Now(), s.config.pause
	for {
		select {
		case s.turns <- struct{}{}:
		case <-s.ctx.Done():
			return
		}
		found, err := s.load(s.ctx, id)
		<-s.turns
		wait := pause
		var useless *uselessError
		switch {
		case s.ctx.Err() != nil:
			return
		case err == nil:
			s.learn(id, found)
			return
		case errors.As(err, &useless):
			s.learn(id, &schema{id: id, fault: err.Error()})
			return
		case isMissing(err) && (again || time.Since(began) >= s.config.grace):
			s.miss(id, err)
			return
		case isMissing(err):
			s.answered()
			wait = s.config.grace / 6
		default:
			s.failed(id, explained(err))
			pause = min(2*pause, lastPause)
		}
		select {
		case <-time.After(wait):
		case <-s.ctx.Done():
			return
		}
	}
}

// learn takes note of what an id means, for ever.
func (s *Schemas) learn(id uint32, found *schema) {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := maps.Clone(*s.known.Load())
	if known == nil {
		known = make(map[uint32]*schema)
	}
	known[id] = found
	s.known.Store(&known)
	delete(s.missing, id)
	s.settle(id)
	if found.fault != "" && s.config.Log != nil {
		s.config.Log.Error("a schema cannot be used: its records are refused", "schema_id", id, "error", found.fault)
	}
}

// miss takes note of an id that is not registered.
func (s *Schemas) miss(id uint32, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missing[id] = absence{&schema{id: id, fault: err.Error()}, time.Now()}
	s.settle(id)
}

// forget drops the ids that have long been due again. The caller holds mu.
func (s *Schemas) forget() {
	for id, a := range s.missing {
		if time.Since(a.since) >= 2*s.config.keep {
			delete(s.missing, id)
		}
	}
}

// settle ends the asking for an id. The caller holds mu.
func (s *Schemas) settle(id uint32) {
	delete(s.pending, id)
	s.stats.Fetches++
	if s.trouble != "" && s.config.Log != nil {
		s.config.Log.Info("the schema registry answers again", "registry", s.config.URLs)
	}
	s.trouble, s.told = "", time.Time{}
	close(s.changed)
	s.changed = make(chan struct{})
}

// answered says that the registry can be asked.
func (s *Schemas) answered() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Fetches++
	s.trouble = ""
}

// tellEvery is how often a registry that cannot be asked is worth a line.
const tellEvery = 10 * time.Second

func (s *Schemas) failed(id uint32, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stats.Errors++
	s.stats.LastError, s.stats.LastErrorAt = cut(err.Error()), time.Now()
	s.trouble = s.stats.LastError
	if s.config.Log == nil || time.Since(s.told) < tellEvery {
		return
	}
	s.told = time.Now()
	s.config.Log.Warn("cannot get a schema from the registry; reading waits for it, trying again",
		"registry", s.config.URLs, "schema_id", id, "error", err)
}
