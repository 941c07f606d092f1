package main

import (
	"errors"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"windowed/internal/api"
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
	outputFlag
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
	return errors.Join(c.printMade(std.out, made), err)
}

// printMade prints what became of each topic.
func (f outputFlag) printMade(w io.Writer, made []kafka.Made) error {
	rows := api.Table{Header: []string{"topic", "partitions", "did"}, Text: -1}
	list := []map[string]any{}
	for _, m := range made {
		rows.Rows = append(rows.Rows, []string{m.Topic, fmt.Sprint(m.Partitions), m.Did})
		list = append(list, map[string]any{"topic": m.Topic, "partitions": m.Partitions, "did": m.Did})
	}
	return f.print(w, rows, map[string]any{"topics": list}, func(w io.Writer) error {
		t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		for _, m := range made {
			if m.Partitions > 0 {
				fmt.Fprintf(t, "%s\tpartitions: %d\t%s\n", m.Topic, m.Partitions, m.Did)
			} else {
				fmt.Fprintf(t, "%s\t%s\n", m.Topic, m.Did)
			}
		}
		return t.Flush()
	})
}

type topicsCheckCmd struct {
	kafkaFlags
	outputFlag
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
	if err := c.printFound(std.out, found); err != nil {
		return err
	}
	if problems := countProblems(found); problems > 0 {
		return exit.Errorf(exit.Problem, "%d problems with the topics", problems)
	}
	return nil
}

func countProblems(found []kafka.Finding) (n int) {
	for _, f := range found {
		if !f.Warning {
			n++
		}
	}
	return n
}

// printFound prints what a check has found, each with its fix; ok if that is nothing bad.
func (f outputFlag) printFound(w io.Writer, found []kafka.Finding) error {
	rows := api.Table{Header: []string{"kind", "topic", "problem", "fix"}, Text: -1}
	list := []map[string]string{}
	for _, f := range found {
		kind := "problem"
		if f.Warning {
			kind = "warning"
		}
		rows.Rows = append(rows.Rows, []string{kind, f.Topic, f.Problem, f.Fix})
		list = append(list, map[string]string{"kind": kind, "topic": f.Topic, "problem": f.Problem, "fix": f.Fix})
	}
	ok := countProblems(found) == 0
	return f.print(w, rows, map[string]any{"ok": ok, "findings": list}, func(w io.Writer) error {
		for _, row := range rows.Rows {
			fmt.Fprintf(w, "%s\t%s: %s\n\tfix: %s\n", row[0], row[1], row[2], row[3])
		}
		if !ok {
			return nil
		}
		_, err := fmt.Fprintln(w, "ok")
		return err
	})
}

type topicsDeleteCmd struct {
	kafkaFlags
	outputFlag
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
	return errors.Join(c.printMade(std.out, made), err)
}
