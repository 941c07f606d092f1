package main

import (
	"fmt"
	"time"

	"windowed/internal/exit"
	"windowed/internal/kafka"
)

type topicsCmd struct {
	Create topicsCreateCmd `cmd:"" help:"Make the topics that are missing; add missing partitions to the changelog."`
	Check  topicsCheckCmd  `cmd:"" help:"Check the topics; exit 3 if something must be fixed."`
	Delete topicsDeleteCmd `cmd:"" help:"Delete the topics, and with them all counts."`
}

type topicsCreateCmd struct {
	kafkaFlags
	Partitions        int32         `help:"Partitions of orders, changelog and dead letters." default:"4"`
	ReplicationFactor int16         `help:"Copies of each partition; -1: the broker's default." default:"-1"`
	MinInsyncReplicas int           `help:"min.insync.replicas of the topics; 0: the broker's default." default:"0"`
	Timeout           time.Duration `help:"How long to try." default:"10s"`
}

func (c *topicsCreateCmd) Run(std streams, root *cli) error {
	if c.Partitions < 1 {
		return exit.Errorf(exit.Usage, "--partitions: %d is not positive", c.Partitions)
	}
	ctx, cancel, _, admin, err := c.once(std, root, c.Timeout)
	if err != nil {
		return err
	}
	defer cancel()
	defer admin.Close()
	made, err := admin.Create(ctx, kafka.Shape{Partitions: c.Partitions, Replication: c.ReplicationFactor, MinInsync: c.MinInsyncReplicas}, nil)
	for _, m := range made {
		fmt.Fprintf(std.out, "%s\tpartitions: %d\t%s\n", m.Topic, m.Partitions, m.Did)
	}
	return err
}

type topicsCheckCmd struct {
	kafkaFlags
	Timeout time.Duration `help:"How long to try." default:"10s"`
}

func (c *topicsCheckCmd) Run(std streams, root *cli) error {
	ctx, cancel, _, admin, err := c.once(std, root, c.Timeout)
	if err != nil {
		return err
	}
	defer cancel()
	defer admin.Close()
	_, found, err := admin.Check(ctx)
	if err != nil {
		return err
	}
	problems := 0
	for _, f := range found {
		kind := "problem"
		if f.Warning {
			kind = "warning"
		} else {
			problems++
		}
		fmt.Fprintf(std.out, "%s\t%s: %s\n\tfix: %s\n", kind, f.Topic, f.Problem, f.Fix)
	}
	if problems > 0 {
		return exit.Errorf(exit.Problem, "%d problems with the topics", problems)
	}
	_, err = fmt.Fprintln(std.out, "ok")
	return err
}

type topicsDeleteCmd struct {
	kafkaFlags
	Yes     bool          `short:"y" help:"Do it; without this flag nothing is deleted."`
	Timeout time.Duration `help:"How long to try." default:"10s"`
}

func (c *topicsDeleteCmd) Run(std streams, root *cli) error {
	if !c.Yes {
		return exit.Errorf(exit.Usage, "this deletes %s, %s, %s and %s with all orders and counts; say --yes to do it",
			c.OrdersTopic, c.ChangelogTopic, c.OutputTopic, c.DlqTopic)
	}
	ctx, cancel, _, admin, err := c.once(std, root, c.Timeout)
	if err != nil {
		return err
	}
	defer cancel()
	defer admin.Close()
	made, err := admin.Delete(ctx)
	for _, m := range made {
		fmt.Fprintf(std.out, "%s\t%s\n", m.Topic, m.Did)
	}
	return err
}
