package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"windowed/internal/engine"
	"windowed/internal/exit"
	"windowed/internal/instance"
	"windowed/internal/kafka"
)

type restoreCmd struct {
	jobFlags
	kafkaFlags
	State   string        `help:"State directory." default:"./state" type:"path"`
	Timeout time.Duration `help:"How long to try to reach the brokers." default:"10s"`
}

// Run brings the state directory up to the end of the changelog. It never joins the
// group and never fences anybody.
func (c *restoreCmd) Run(std streams, root *cli) error {
	cfg, err := c.jobFlags.config()
	if err != nil {
		return err
	}
	log, err := root.logger(std)
	if err != nil {
		return err
	}
	run := &runCmd{jobFlags: c.jobFlags, kafkaFlags: c.kafkaFlags, State: c.State, RankCapacity: 1000, RankWindows: 64, EmbeddedListen: "127.0.0.1:0"}
	j := &job{cmd: run, cfg: cfg, log: log, std: std, status: new(engine.Status)}
	defer j.close()
	if err := j.open(); err != nil {
		return err
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if len(j.kafka.Brokers) == 0 {
		if err := c.embed(ctx, j); err != nil {
			return err
		}
	}
	return c.restore(ctx, j)
}

// embed uses the embedded broker that runs on --data-dir, or starts it for the time of
// the restore.
func (c *restoreCmd) embed(ctx context.Context, j *job) error {
	if _, ok, err := instance.ReadAddr(kafka.AddrFile(c.DataDir)); ok || err != nil {
		if j.kafka, err = c.running(j.log); err != nil {
			return err
		}
		admin, err := kafka.NewAdmin(j.kafka)
		if err != nil {
			return err
		}
		defer admin.Close()
		try, cancel := context.WithTimeout(ctx, time.Second)
		defer cancel()
		if admin.Ping(try) == nil {
			return nil
		}
	}
	j.kafka.Brokers = nil
	return j.embed(ctx)
}

func (c *restoreCmd) restore(ctx context.Context, j *job) error {
	admin, err := kafka.NewAdmin(j.kafka)
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	defer admin.Close()
	try, cancel := context.WithTimeout(ctx, c.Timeout)
	err = admin.Ping(try)
	cancel()
	if err != nil {
		return err
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
	st := j.holder.get()
	follower, err := kafka.NewFollower(j.kafka, st, kafka.FollowOptions{Wait: kafka.RestoreWait})
	if err != nil {
		return err
	}
	defer follower.Close()
	partitions := make([]int32, layout.Changelog.Partitions)
	for p := range partitions {
		partitions[p] = int32(p)
	}
	started := time.Now()
	done := make(chan struct{})
	go reportProgress(j, follower, done)
	err = follower.CatchUp(ctx, partitions)
	close(done)
	if err != nil {
		return err
	}
	if err := engine.CheckFingerprint(st, &j.cfg, false); err != nil {
		return err
	}
	totals := st.Totals()
	if totals.Records == 0 {
		_, err = fmt.Fprintf(j.std.out, "nothing to restore: %s holds no counts yet\n", c.ChangelogTopic)
		return err
	}
	_, err = fmt.Fprintf(j.std.out, "restored %d changelog records in %v: %d orders, %d portions\n",
		follower.Progress().Done, time.Since(started).Round(time.Millisecond), totals.Records, totals.Portions)
	return err
}

// reportProgress logs how far a restore is, every ten seconds.
func reportProgress(j *job, f *kafka.Follower, done <-chan struct{}) {
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-done:
			return
		case now := <-tick.C:
			p := progressOf(f.Progress(), now)
			j.log.Info("restoring", "done", p.Done, "of", p.Total, "per_second", int64(p.Rate), "seconds_left", int64(p.Seconds))
		}
	}
}
