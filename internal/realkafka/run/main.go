// Run keeps a real Kafka up for manual runs and scripts. It prints one line,
// brokers=HOST:PORT[,HOST:PORT...], on stdout as soon as Kafka is ready, and
// keeps it running until SIGINT or SIGTERM, or until stdin closes if that is a
// pipe.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"windowed/internal/realkafka"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run() (err error) {
	props := map[string]string{}
	brokers := flag.Int("brokers", 1, "number of brokers, 1 or 3")
	dir := flag.String("dir", "", "directory for data and logs, kept at the end (default: a temporary one)")
	flag.Func("prop", "a line for server.properties, as name=value; may be repeated", func(arg string) error {
		name, value, ok := strings.Cut(arg, "=")
		if !ok {
			return errors.New("want name=value")
		}
		props[name] = value
		return nil
	})
	flag.Parse()
	if flag.NArg() > 0 {
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	}

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	ctx = untilPipeCloses(ctx)

	if *dir == "" {
		temp, err := os.MkdirTemp("", "realkafka-")
		if err != nil {
			return fmt.Errorf("make a directory: %w", err)
		}
		defer os.RemoveAll(temp)
		*dir = temp
	}
	c, err := realkafka.New(ctx, *dir, realkafka.Brokers(*brokers), realkafka.Props(props), realkafka.Logf(logf))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	fmt.Println("brokers=" + strings.Join(c.Seeds(), ","))
	return watch(ctx, c)
}

func logf(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }

// untilPipeCloses ends the context when stdin is a pipe and its other end
// closes. Other kinds of stdin do not count: for a background job it is
// /dev/null, which ends at once.
func untilPipeCloses(ctx context.Context) context.Context {
	info, err := os.Stdin.Stat()
	if err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		return ctx
	}
	ctx, cancel := context.WithCancel(ctx)
	go func() {
		io.Copy(io.Discard, os.Stdin)
		cancel()
	}()
	return ctx
}

// watch returns at the end of ctx, or with an error when a broker has ended.
func watch(ctx context.Context, c *realkafka.Cluster) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(time.Second):
			if err := c.Died(); err != nil {
				return err
			}
		}
	}
}
