package main

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"windowed/internal/exit"
	"windowed/internal/kafka"
)

type seedCmd struct {
	kafkaFlags
	Rate    float64       `help:"Orders a second." default:"1"`
	Count   int           `help:"How many orders; 0: until interrupted." default:"0"`
	Seed    uint64        `help:"Number that decides what is ordered; 0: another one every time." default:"0"`
	Timeout time.Duration `help:"How long to try to reach the brokers." default:"10s"`
}

func (c *seedCmd) Run(std streams, root *cli) error {
	if c.Rate <= 0 || c.Count < 0 {
		return exit.Errorf(exit.Usage, "--rate must be above 0 and --count not below")
	}
	reached, cancel, cfg, admin, err := c.once(std, root, c.Timeout)
	if err != nil {
		return err
	}
	defer cancel()
	if _, err := admin.Topic(reached, cfg.Topics.Orders); err != nil {
		admin.Close()
		return exit.Errorf(exit.Usage, "%w; make it with windowed topics create", err)
	}
	admin.Close()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	sender, err := kafka.NewSender(cfg, seedOf(c.Seed))
	if err != nil {
		return err
	}
	defer sender.Close()
	last, n := time.Now(), 0
	err = sender.Send(ctx, c.Rate, c.Count, func(sent int) {
		if n = sent; time.Since(last) >= 10*time.Second {
			last = time.Now()
			fmt.Fprintf(std.err, "%d orders sent\n", sent)
		}
	})
	fmt.Fprintf(std.err, "%d orders sent\n", n)
	return err
}

func seedOf(given uint64) uint64 {
	if given == 0 {
		return uint64(time.Now().UnixNano())
	}
	return given
}

// backfillSpan is how much of the past run --seed fills in.
const backfillSpan = 3 * time.Hour

// seedOrders sends sample orders until ctx ends.
func seedOrders(ctx context.Context, cfg *kafka.Config, rate float64, log *slog.Logger) error {
	sender, err := kafka.NewSender(cfg, seedOf(0))
	if err != nil {
		return err
	}
	defer sender.Close()
	n, err := sender.Backfill(ctx, time.Now(), backfillSpan)
	if err != nil {
		return err
	}
	log.Info("sending sample orders", "backfilled", n, "per_second", rate)
	return sender.Send(ctx, rate, 0, func(int) {})
}
