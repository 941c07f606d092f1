// Bench runs windowed, and what people would use instead, over the same orders on one
// real Kafka, and writes what it sees of each from outside: speed, CPU, memory, and first
// of all whether the answer is right. See docs/performance.md; make bench runs it.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"github.com/alecthomas/kong"
)

type cli struct {
	Run     runCmd     `cmd:"" default:"withargs" help:"Run the contestants and print the tables."`
	Consume consumeCmd `cmd:"" hidden:"" help:"Be a contestant that reads a topic."`
}

// Children are started by the main goroutine alone. On its own thread, the first one,
// they live exactly as long as this process: their death signal follows the thread.
func init() { runtime.LockOSThread() }

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	var c cli
	k := kong.Parse(&c, kong.Name("bench"), kong.BindTo(ctx, (*context.Context)(nil)))
	if err := k.Run(); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}
