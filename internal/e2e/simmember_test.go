//go:build unix

package e2e

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"sync/atomic"
	"time"

	"windowed/internal/engine"
	"windowed/internal/kafka"
	"windowed/state"
)

// member is an instance of a simulation: what is its own.
type member struct {
	s      *simulation
	cfg    kafka.Config
	wire   *wire
	disk   *simDisk
	status *engine.Status

	job    engine.Config
	counts bool            // else it follows
	life   int             // how often it was started
	left   map[int32]int64 // changelog positions at a clean stop; nil: it was none
	st     atomic.Pointer[state.State]
	cancel context.CancelFunc
	done   chan error
}

// death is that of a process whose disk fails.
type death struct {
	m    *member
	life int
	says string
}

// simLatency is that of a request. Without it, a client that asks again until it hears of a
// new leader would stop virtual time.
const simLatency = 200 * time.Microsecond

func newMember(s *simulation, name string, salt uint64) *member {
	m := &member{s: s, cfg: s.cfg, wire: &wire{dial: s.broker.dial, latency: simLatency}, disk: newSimDisk(s.figures, salt)}
	m.cfg.Instance, m.cfg.Dialer = name, m.wire.Dial
	return m
}

// start starts the process on the disk as it is.
func (m *member) start(counts bool) {
	m.s.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	m.cancel = cancel
	m.job, m.counts, m.status, m.done = m.s.job, counts, new(engine.Status), make(chan error, 1)
	m.life++
	st, err := m.open()
	for tries := 0; err != nil; tries++ {
		// A disk that failed does not do so for ever; the process says why it ends.
		if !errors.Is(err, errDisk) || tries == 3 {
			m.s.t.Fatalf("start on the disk as it is: %v", err)
		}
		m.s.happened("starts that a disk has refused")
		if m.disk.died() {
			m.disk.restart()
			m.wire.set(false)
			ctx, cancel = context.WithCancel(context.Background())
			m.cancel = cancel
		}
		st, err = m.open()
	}
	if m.left != nil && m.disk.same() && !maps.Equal(m.left, st.Positions()) {
		m.s.t.Errorf("instance %s stopped at %v and starts at %v: it replays (KAFKA-13249)", m.cfg.Instance, m.left, st.Positions())
	}
	m.left = nil
	m.st.Store(st)
	log := slog.New(slog.DiscardHandler)
	done, status := m.done, m.status
	go func() {
		var err error
		if counts {
			_, err = engine.Supervise(ctx, st, m.reopen, m.connect, status, log)
		} else {
			err = engine.SuperviseReplica(ctx, func() error { _, err := m.reopen(m.st.Load()); return err }, m.follow, status, log)
		}
		done <- err
	}()
}

// open opens the store as the program does: a damaged one is put aside.
func (m *member) open() (*state.State, error) {
	opts := state.Options{FS: m.disk.open(), Window: m.job.Lifecycle(), Logger: simLog{m: m, life: m.life}}
	st, err := state.Open("state", opts)
	if err != nil && m.disk.died() {
		return nil, errDisk // it does not get to putting anything aside
	}
	if errors.Is(err, state.ErrCorrupt) {
		m.s.happened("damaged stores restored")
		m.disk.replace()
		opts.FS = m.disk.open()
		st, err = state.Open("state", opts)
	}
	return st, err
}

// reopen puts a damaged store aside while the process runs.
func (m *member) reopen(damaged *state.State) (*state.State, error) {
	_ = damaged.Abandon()
	m.s.happened("damaged stores restored")
	m.disk.replace()
	st, err := m.open()
	switch {
	case err != nil && m.disk.died():
		return damaged, nil
	case err != nil:
		return damaged, err
	}
	m.st.Store(st)
	return st, nil
}

// connect is a session of the counting instance.
func (m *member) connect(ctx context.Context, st *state.State) (engine.LoopOptions, func(), error) {
	admin, err := kafka.NewAdmin(&m.cfg)
	if err != nil {
		return engine.LoopOptions{}, nil, err
	}
	follower, err := kafka.NewFollower(&m.cfg, st, kafka.FollowOptions{Wait: kafka.TakeoverWait, Fence: true})
	if err != nil {
		admin.Close()
		return engine.LoopOptions{}, nil, err
	}
	session, err := kafka.NewSession(ctx, &m.cfg)
	if err != nil {
		follower.Close()
		admin.Close()
		return engine.LoopOptions{}, nil, err
	}
	return engine.LoopOptions{
		Config: m.job, Topic: names.Orders, Writer: m.cfg.TransactionalID(), Interval: m.s.interval, Status: m.status,
		Transport: session, Inputs: admin, Restorer: follower, Wall: m.s.clock.Now, Keeper: m.s.kept,
	}, func() { session.Close(); follower.Close(); admin.Close() }, nil
}

// follow is a connection of the one that follows.
func (m *member) follow(context.Context) (*engine.Replica, func(), error) {
	admin, err := kafka.NewAdmin(&m.cfg)
	if err != nil {
		return nil, nil, err
	}
	st := m.st.Load()
	follower, err := kafka.NewFollower(&m.cfg, st, kafka.FollowOptions{Wait: kafka.RestoreWait})
	if err != nil {
		admin.Close()
		return nil, nil, err
	}
	return &engine.Replica{
		Config: m.job, Inputs: admin, Restorer: follower, State: st, Status: m.status, Log: slog.New(slog.DiscardHandler),
	}, func() { follower.Close(); admin.Close() }, nil
}

// stop is a clean stop, unless the disk fails in it.
func (m *member) stop() {
	m.s.t.Helper()
	m.end(func() error {
		m.left = m.st.Load().Positions()
		m.disk.stopped()
		return m.st.Load().Close()
	})
}

// end ends the process. One whose disk has failed meanwhile has died of that.
func (m *member) end(leave func() error) {
	m.s.t.Helper()
	m.cancel()
	if err := <-m.done; err != nil {
		m.s.t.Errorf("instance %s ended: %v", m.cfg.Instance, err)
	}
	var err error
	if !m.disk.died() {
		err = leave()
	}
	if m.disk.died() {
		m.left = nil
		m.s.happened("processes that a disk has ended")
		m.bury()
	} else if err != nil {
		m.s.t.Errorf("instance %s: %v", m.cfg.Instance, err)
	}
	m.disk.calm()
}

// bury leaves of a process that its disk has ended what is on the disk.
func (m *member) bury() {
	_ = m.st.Load().Abandon()
	m.disk.restart()
	m.wire.set(false)
}

// powerCut ends the process at once, with some of the data lost that was not synced.
func (m *member) powerCut() {
	m.s.t.Helper()
	m.wire.set(true)
	m.disk.crash()
	m.cancel()
	if err := <-m.done; err != nil {
		m.s.t.Errorf("instance %s ended: %v", m.cfg.Instance, err)
	}
	m.bury()
}

// simLog is what the store of one life of a process logs to.
type simLog struct {
	m    *member
	life int
}

func (simLog) Infof(string, ...any)  {}
func (simLog) Errorf(string, ...any) {}

// Fatalf ends the process, as far as anybody can see: it reaches the brokers no more, and
// nothing that it writes from here on is there at the next start.
func (l simLog) Fatalf(format string, args ...any) {
	l.m.wire.set(true)
	l.m.cancel()
	l.m.disk.fatal()
	l.m.s.deaths <- death{l.m, l.life, fmt.Sprintf(format, args...)}
}

// revive starts a process again that its disk has ended.
func (s *simulation) revive(d death) {
	s.t.Helper()
	if d.life != d.m.life || !d.m.disk.died() {
		return // it was ended otherwise, meanwhile
	}
	if d.says == "" {
		s.t.Error("a process ended without a word")
	}
	d.m.end(nil)
	d.m.start(d.m.counts)
}

// pause lets time pass. Processes that die meanwhile are started again.
func (s *simulation) pause(d time.Duration) {
	s.t.Helper()
	over := time.After(d)
	for {
		select {
		case dead := <-s.deaths:
			s.revive(dead)
		case <-over:
			for _, m := range s.members {
				if says := m.disk.ignored(); says != "" {
					s.t.Errorf("instance %s goes on, though its disk has failed: %s", m.cfg.Instance, says)
				}
			}
			return
		}
	}
}
