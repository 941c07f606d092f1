package main

import (
	"context"
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
)

// serveCmd is a read replica: it follows the changelog and answers, and writes nothing.
type serveCmd struct {
	jobFlags
	kafkaFlags
	httpFlags
	State        string        `help:"State directory, of its own." default:"./state" type:"path"`
	Flush        time.Duration `help:"Time between tables on stdout." default:"5s"`
	RankCapacity int           `help:"Entries a ranking keeps in memory." default:"1000"`
	RankWindows  int           `help:"Open windows whose ranking stays in memory." default:"64"`
}

func (c *serveCmd) Run(std streams, root *cli) error {
	cfg, err := c.jobFlags.config()
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
	j := &job{cmd: &runCmd{
		jobFlags: c.jobFlags, kafkaFlags: c.kafkaFlags, httpFlags: c.httpFlags, State: c.State,
		RankCapacity: c.RankCapacity, RankWindows: c.RankWindows,
	}, cfg: cfg, log: log, std: std, status: new(engine.Status)}
	defer j.close()
	if err := j.open(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	context.AfterFunc(ctx, j.status.Stop)
	return c.serve(ctx, j)
}

func (c *serveCmd) serve(ctx context.Context, j *job) error {
	words, err := c.words()
	if err != nil {
		return err
	}
	answers := &api.Answers{State: j.holder.get, Config: &j.cfg, Status: j.status, Progress: j.follower.progress, Version: version, Words: words}
	if err := j.serve(answers); err != nil {
		return err
	}
	if j.kafka, err = c.running(j.log); err != nil {
		return err
	}
	j.kafka.Hook = j.metrics.Client
	admin, err := kafka.NewAdmin(j.kafka)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	defer admin.Close()
	if reach(ctx, admin, j.log) != nil {
		return nil // told to stop
	}
	layout, err := checked(ctx, admin, j.log)
	if err != nil {
		return err
	}
	if err := j.dir.Bind(instance.Identity{
		Group: c.Group, Orders: c.OrdersTopic, Changelog: c.ChangelogTopic, ChangelogID: topicID(layout.Changelog.ID),
	}); err != nil {
		return err
	}
	group, ctx := errgroup.WithContext(ctx)
	go showRestore(j, ctx.Done())
	group.Go(func() error { return newView(j.std.out, answers, j.cfg.Top).show(ctx, c.Flush) })
	group.Go(func() error {
		return engine.SuperviseReplica(ctx, func() error { _, err := j.reopen(j.holder.get()); return err }, j.replica(admin), j.status, j.log)
	})
	return group.Wait()
}

// replica connects a replica.
func (j *job) replica(admin *kafka.Admin) func(context.Context) (*engine.Replica, func(), error) {
	return func(context.Context) (*engine.Replica, func(), error) {
		follower, err := kafka.NewFollower(j.kafka, j.holder.get(), kafka.FollowOptions{Wait: kafka.RestoreWait, Restoring: collectGarbage})
		if err != nil {
			return nil, nil, err
		}
		j.follower.set(follower)
		return &engine.Replica{
				Config: j.cfg, Inputs: admin, Restorer: follower, State: j.holder.get(), Status: j.status, Log: j.log,
			}, func() {
				j.follower.set(nil)
				follower.Close()
			}, nil
	}
}
