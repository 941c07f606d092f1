package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"windowed/internal/api"
	"windowed/internal/engine"
	"windowed/internal/exit"
	"windowed/internal/instance"
	"windowed/internal/kafka"
)

type restoreCmd struct {
	jobFlags
	kafkaFlags
	outputFlag
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
	follower, err := kafka.NewFollower(j.kafka, st, kafka.FollowOptions{Wait: kafka.RestoreWait, Restoring: collectGarbage})
	if err != nil {
		return err
	}
	defer follower.Close()
	partitions := make([]int32, layout.Changelog.Partitions)
	for p := range partitions {
		partitions[p] = int32(p)
	}
	started := time.Now()
	if err := catchUp(ctx, j, follower, partitions); err != nil {
		return err
	}
	if err := engine.CheckFingerprint(st, &j.cfg, false); err != nil {
		return err
	}
	totals := st.Totals()
	return c.report(j.std.out, restored{
		Records: follower.Progress().Done, Seconds: time.Since(started).Seconds(), Orders: totals.Records, Portions: totals.Portions,
	})
}

// restored is what a restore has done.
type restored struct {
	Records  int64   `json:"restored_records"` // of the changelog
	Seconds  float64 `json:"seconds"`
	Orders   uint64  `json:"orders"` // that the counts hold now
	Portions uint64  `json:"portions"`
}

func (c *restoreCmd) report(w io.Writer, r restored) error {
	took := time.Duration(r.Seconds * float64(time.Second)).Round(time.Millisecond)
	rows := api.Table{
		Header: []string{"restored_records", "seconds", "orders", "portions"}, Text: -1,
		Rows: [][]string{{fmt.Sprint(r.Records), fmt.Sprintf("%.3f", r.Seconds), itoa(r.Orders), itoa(r.Portions)}},
	}
	return c.print(w, rows, r, func(w io.Writer) error {
		if r.Orders == 0 {
			_, err := fmt.Fprintf(w, "nothing to restore: %s holds no counts yet\n", c.ChangelogTopic)
			return err
		}
		_, err := fmt.Fprintf(w, "restored %d changelog records in %v: %d orders, %d portions\n", r.Records, took, r.Orders, r.Portions)
		return err
	})
}

// catchUp follows partitions to their end, and shows how far that is.
func catchUp(ctx context.Context, j *job, f *kafka.Follower, partitions []int32) error {
	j.follower.set(f)
	done, shown := make(chan struct{}), make(chan struct{})
	go func() {
		showRestore(j, done)
		close(shown)
	}()
	err := f.CatchUp(ctx, partitions)
	close(done)
	<-shown
	return err
}

// showRestore shows how far restores are until done is closed: in place on a terminal, a
// log line every ten seconds elsewhere.
func showRestore(j *job, done <-chan struct{}) {
	tick := time.NewTicker(progressRedraw)
	defer tick.Stop()
	var shown *progress
	for {
		select {
		case <-done:
			if shown != nil {
				shown.end()
			}
			return
		case now := <-tick.C:
			p := j.follower.progress()
			switch {
			case !p.Active && shown != nil:
				shown.end()
				shown = nil
			case p.Active && shown == nil:
				shown = newProgress(j.std.err, "restoring", "records", now)
				shown.line = func(text string) { j.log.Info(text) }
			case p.Active:
				shown.at(p.Done, float64(p.Done)/float64(max(1, p.Total)), now)
			}
		}
	}
}
