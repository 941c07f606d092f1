package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"windowed/internal/api"
	"windowed/internal/engine"
	"windowed/internal/exit"
	"windowed/internal/instance"
	"windowed/internal/kafka"
	"windowed/internal/metrics"
	"windowed/internal/wire"
	"windowed/state"
)

type runCmd struct {
	jobFlags
	kafkaFlags
	formatFlag
	registryFlags
	httpFlags
	State          string        `help:"State directory." default:"./state" type:"path"`
	Flush          time.Duration `help:"Time between snapshots." default:"5s"`
	CommitInterval time.Duration `help:"Time between transactions." default:"100ms"`
	IdleTimeout    time.Duration `help:"How long a partition must be silent to stop holding windows open; 0: never." default:"1m"`
	MaxFuture      time.Duration `help:"How far an event time may lie ahead of the clock." default:"1h"`
	MaxSkew        time.Duration `help:"How far one partition may be ahead of another in event time while both have orders; 0: any." default:"0s"`
	RankCapacity   int           `help:"Entries a ranking keeps in memory; longer top lists are scanned for." default:"1000"`
	RankWindows    int           `help:"Open windows whose ranking stays in memory." default:"64"`

	Guarantee      string        `help:"exactly-once (Kafka transactions) or at-least-once (one instance)." enum:"exactly-once,at-least-once" default:"exactly-once"`
	InstanceID     string        `help:"Name of this instance in the group: static membership, and the last part of the transactional id." placeholder:"NAME"`
	SessionTimeout time.Duration `help:"How long the group waits for a silent member." default:"10s"`
	GroupProtocol  string        `help:"classic, or consumer (KIP-848; brokers 4.0 or newer)." enum:"classic,consumer" default:"classic"`

	EmbeddedListen string  `help:"Address of the embedded broker; port 0: any, the same one again if it is free." default:"127.0.0.1:0"`
	Seed           bool    `help:"Send sample orders to the embedded broker."`
	SeedRate       float64 `help:"Sample orders a second." default:"1"`

	NoSample bool `help:"Do not look whether the mapping's paths are in the first 1,000 records."`

	AcceptGap      bool     `help:"Once: go on behind records that were deleted before they were counted."`
	AcceptNewInput bool     `help:"Once: the orders topic was made anew; read it from its start and keep the counts."`
	ResetCounts    bool     `help:"Once: the counts are lost; count from the start of the orders topic."`
	Reconfigure    bool     `help:"Once: take over a changed --grace or --late, from the open windows on."`
	SkipBatch      []string `help:"Once: pass a batch that cannot be read." placeholder:"PARTITION:OFFSET"`
}

// config is the whole configuration of the engine.
func (c *runCmd) config() (engine.Config, error) {
	cfg, err := c.jobFlags.config()
	if err != nil {
		return cfg, err
	}
	for name, d := range map[string]time.Duration{"flush": c.Flush, "idle-timeout": c.IdleTimeout, "max-future": c.MaxFuture, "max-skew": c.MaxSkew, "commit-interval": c.CommitInterval} {
		if err := checkSpan(name, d); err != nil {
			return cfg, err
		}
	}
	if c.CommitInterval < time.Millisecond || c.RankCapacity < 1 || c.RankWindows < 1 {
		return cfg, exit.Errorf(exit.Usage, "--commit-interval, --rank-capacity and --rank-windows must be above 0")
	}
	if c.Seed && len(c.Brokers) > 0 {
		return cfg, exit.Errorf(exit.Usage, "--seed fills the embedded broker only; for --brokers use windowed seed")
	}
	cfg.Flush, cfg.IdleTimeout, cfg.MaxFuture = c.Flush.Milliseconds(), c.IdleTimeout.Milliseconds(), c.MaxFuture.Milliseconds()
	cfg.MaxSkew = c.MaxSkew.Milliseconds()
	return cfg, nil
}

func (c *runCmd) Run(std streams, root *cli) error {
	cfg, err := c.config()
	if err != nil {
		return err
	}
	log, err := root.logger(std)
	if err != nil {
		return err
	}
	if err := c.httpFlags.check(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once

	job := &job{cmd: c, cfg: cfg, log: log, std: std, status: new(engine.Status)}
	defer job.close()
	if job.skip, err = parseSkips(c.SkipBatch); err != nil {
		return err
	}
	if err := job.open(); err != nil {
		return err
	}
	context.AfterFunc(ctx, job.status.Stop)
	return job.run(ctx)
}

// job is one run: the state, the broker, the loop, and what shows them.
type job struct {
	cmd *runCmd
	cfg engine.Config
	log *slog.Logger
	std streams

	dir      *instance.Dir
	holder   stateHolder
	status   *engine.Status
	metrics  *metrics.Source
	embedded *kafka.Embedded
	kafka    *kafka.Config
	layout   kafka.Layout
	follower followerHolder
	skip     map[int32]int64 // --skip-batch
	values   *wire.Options   // what the values of orders are decoded by
	schemas  *wire.Schemas   // of the registry; nil: there is none
	closers  []func() error
}

// open opens the state directory, so that a second process on it is refused before it
// does anything.
func (j *job) open() error {
	dir, err := instance.Open(j.cmd.State)
	if err != nil {
		return err
	}
	j.dir = dir
	st, err := j.openState()
	if err != nil {
		return err
	}
	j.holder.set(st)
	j.closers = append(j.closers, func() error { return j.holder.get().Close() })
	if j.kafka, err = j.cmd.kafkaFlags.config(j.log); err != nil {
		return err
	}
	if j.kafka.Instance = j.cmd.InstanceID; j.kafka.Instance == "" {
		if j.kafka.Instance, err = dir.ID(); err != nil {
			return err
		}
	}
	if err := j.decoders(); err != nil {
		return err
	}
	j.watch()
	j.kafka.Hook = j.metrics.Client
	j.kafka.Static = j.cmd.InstanceID != ""
	j.kafka.AtLeastOnce = j.cmd.Guarantee == "at-least-once"
	j.kafka.ServerBalancer = j.cmd.GroupProtocol == "consumer"
	j.kafka.SessionTimeout = j.cmd.SessionTimeout
	return nil
}

// openState opens the store; a damaged one is moved aside, and an empty one is restored
// from the changelog.
func (j *job) openState() (*state.State, error) {
	opts := state.Options{
		Window: j.cfg.Lifecycle(), RankCapacity: j.cmd.RankCapacity, RankWindows: j.cmd.RankWindows, Logger: storeLog{j.log},
	}
	st, err := state.Open(j.dir.Store(), opts)
	switch {
	case errors.Is(err, state.ErrLocked):
		return nil, exit.Errorf(exit.Usage, "%w; stop it, or give this one its own --state", err)
	case !errors.Is(err, state.ErrCorrupt):
		return st, withRoom(err)
	}
	aside, qerr := state.Quarantine(j.dir.Store(), time.Now())
	if qerr != nil {
		return nil, errors.Join(err, qerr)
	}
	j.log.Error("local state is damaged; it was moved aside and is restored from the changelog", "error", err, "moved_to", aside)
	return state.Open(j.dir.Store(), opts)
}

func (j *job) close() {
	for i := len(j.closers) - 1; i >= 0; i-- {
		if err := j.closers[i](); err != nil {
			j.log.Error("stopping", "error", err)
		}
	}
}

// run serves, shows and counts until ctx ends.
func (j *job) run(ctx context.Context) error {
	words, err := j.cmd.words()
	if err != nil {
		return err
	}
	answers := &api.Answers{State: j.holder.get, Config: &j.cfg, Status: j.status, Progress: j.follower.progress, Version: version, Words: words}
	if err := j.serve(answers); err != nil {
		return err
	}
	if err := j.connect(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	go showRestore(j, ctx.Done())
	group.Go(func() error { return newView(j.std.out, answers, j.cfg.Top).show(ctx, j.cmd.Flush) })
	if j.cmd.Seed {
		group.Go(func() error { return seedOrders(ctx, j.kafka, j.cmd.SeedRate, j.log) })
	}
	group.Go(func() error {
		st, err := engine.Supervise(ctx, j.holder.get(), j.reopen, j.session, j.status, j.log)
		j.holder.set(st)
		return err
	})
	err = group.Wait()
	if err == nil {
		j.log.Info("stopped; counting goes on from here at the next start")
	}
	return err
}

// connect reaches the brokers and looks at the topics.
func (j *job) connect(ctx context.Context) error {
	if len(j.kafka.Brokers) == 0 {
		if err := j.embed(ctx); err != nil {
			return err
		}
	}
	admin, err := kafka.NewAdmin(j.kafka)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	defer admin.Close()
	if err := reach(ctx, admin, j.log); err != nil {
		return err
	}
	if j.layout, err = checked(ctx, admin, j.log); err != nil {
		return err
	}
	// Counts that were begun have their mapping, which is compared with this one.
	if _, begun := j.holder.get().Global(); !begun && !j.cmd.NoSample {
		if err := checkPaths(ctx, j.kafka, j.cfg.Order.TimeField, j.values); err != nil {
			return err
		}
	}
	j.kafka.DeadPartitions = j.layout.DeadLetters.Partitions
	if j.kafka.AtLeastOnce {
		others, err := admin.Others(ctx)
		if err != nil {
			return err
		}
		if others > 0 {
			return exit.Errorf(exit.Usage, "group %s has %d other members; --guarantee=at-least-once is for one instance: two writers of absolute counts would lose counts", j.kafka.Group, others)
		}
	}
	return j.dir.Bind(instance.Identity{
		Group: j.kafka.Group, Orders: j.kafka.Topics.Orders, Changelog: j.kafka.Topics.Changelog,
		ChangelogID: topicID(j.layout.Changelog.ID),
	})
}

// embed starts the embedded broker and makes the topics.
func (j *job) embed(ctx context.Context) error {
	var err error
	if j.embedded, err = kafka.StartEmbedded(j.cmd.DataDir, j.cmd.EmbeddedListen, j.kafka); err != nil {
		return err
	}
	j.closers = append(j.closers, j.embedded.Close)
	j.log.Info("embedded broker: for a first look, tests and single machines; see README, \"Limits\"",
		"address", j.kafka.Brokers[0], "directory", j.cmd.DataDir)
	return j.embedded.MakeTopics(ctx)
}

// session is one session with the brokers, for Supervise.
func (j *job) session(ctx context.Context, st *state.State) (engine.LoopOptions, func(), error) {
	var none engine.LoopOptions
	admin, err := kafka.NewAdmin(j.kafka)
	if err != nil {
		return none, nil, err
	}
	follower, err := kafka.NewFollower(j.kafka, st, kafka.FollowOptions{Wait: kafka.TakeoverWait, Fence: true, Restoring: collectGarbage})
	if err != nil {
		admin.Close()
		return none, nil, err
	}
	session, err := kafka.NewSession(ctx, j.kafka)
	if err != nil {
		follower.Close()
		admin.Close()
		return none, nil, err
	}
	j.follower.set(follower)
	opts := engine.LoopOptions{
		Config: j.cfg, Topic: j.kafka.Topics.Orders, Interval: j.cmd.CommitInterval,
		Consent:     engine.Consent{Gap: j.cmd.AcceptGap, NewInput: j.cmd.AcceptNewInput, Reset: j.cmd.ResetCounts},
		SkipBatches: j.skip, Reconfigure: j.cmd.Reconfigure, Sole: j.kafka.AtLeastOnce, Log: j.log, Status: j.status,
		Transport: session, Inputs: admin, Restorer: follower,
	}
	if !j.kafka.AtLeastOnce {
		opts.Writer = j.kafka.TransactionalID()
	}
	if j.embedded != nil {
		opts.Keeper = j.embedded
	}
	if j.schemas != nil {
		opts.Preparer = j.schemas
	}
	return opts, func() {
		session.Close()
		j.follower.set(nil)
		follower.Close()
		admin.Close()
	}, nil
}

// reopen moves a damaged store aside and opens an empty one.
func (j *job) reopen(damaged *state.State) (*state.State, error) {
	_ = damaged.Abandon()
	if _, err := state.Quarantine(j.dir.Store(), time.Now()); err != nil {
		return damaged, err
	}
	st, err := j.openState()
	if err != nil {
		return damaged, err
	}
	j.holder.set(st)
	return st, nil
}

func topicID(id [16]byte) string {
	if id == [16]byte{} {
		return ""
	}
	return fmt.Sprintf("%x", id)
}

// parseSkips reads the values of --skip-batch.
func parseSkips(flags []string) (map[int32]int64, error) {
	skips := make(map[int32]int64)
	for _, f := range flags {
		var p int32
		var offset int64
		if n, err := fmt.Sscanf(f, "%d:%d", &p, &offset); n != 2 || err != nil || p < 0 || offset < 0 {
			return nil, exit.Errorf(exit.Usage, "--skip-batch: %q is not <partition>:<offset>", f)
		}
		skips[p] = offset
	}
	return skips, nil
}
