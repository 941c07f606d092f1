package realkafka

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kmsg"
)

const (
	stopWait   = 15 * time.Second
	endWait    = 30 * time.Second
	askTimeout = 3 * time.Second
)

// Broker is one broker, and controller, of a Cluster.
type Broker struct {
	ID int32 // from 1 on

	c              *Cluster
	dir            string
	port           int
	controllerPort int
	proxiedPort    int // 0: not Proxied

	mu     sync.Mutex
	proc   *process // nil while it was stopped or killed on purpose
	paused bool
}

func brokerDir(dir string, id int32) string {
	return filepath.Join(dir, "broker-"+strconv.Itoa(int(id)))
}

// Addr is the broker's address for clients; it never changes.
func (b *Broker) Addr() string { return address(b.port) }

// BehindProxy is where the proxy of Proxied must connect to.
func (b *Broker) BehindProxy() string { return address(b.proxiedPort) }

// LogPath is the file with all the broker wrote, over restarts too.
func (b *Broker) LogPath() string { return filepath.Join(b.dir, "log") }

func (b *Broker) dataDir() string { return filepath.Join(b.dir, dataName) }

// Start starts the broker, again on the same port and directory. It does not
// wait until the broker is of use: call Cluster.Ready for that.
func (b *Broker) Start() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc != nil && !b.proc.exited() {
		return fmt.Errorf("start broker %d: it is running", b.ID)
	}
	log, err := os.OpenFile(b.LogPath(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return fmt.Errorf("start broker %d: %w", b.ID, err)
	}
	defer log.Close() // the child has its own
	cmd := b.c.java.command(b.c.archive, b.dir, &b.c.opts)
	cmd.Stdout, cmd.Stderr = log, log
	proc, err := b.c.spawner.start(cmd)
	if err != nil {
		return fmt.Errorf("start broker %d: %w", b.ID, err)
	}
	b.proc, b.paused = proc, false
	return nil
}

// Kill ends the broker with SIGKILL and waits until it is gone. If it is the
// only one, see Settle.
func (b *Broker) Kill() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil {
		return fmt.Errorf("kill broker %d: %w", b.ID, errNotRunning)
	}
	if err := b.proc.kill(); err != nil {
		return fmt.Errorf("kill broker %d: %w", b.ID, err)
	}
	b.proc = nil
	return nil
}

// Stop ends the broker with SIGTERM. A broker that has not ended after 15s, as
// happens to the last ones of a cluster that lost its quorum, is killed, and
// the error says so.
func (b *Broker) Stop() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil {
		return fmt.Errorf("stop broker %d: %w", b.ID, errNotRunning)
	}
	proc := b.proc
	// The second signal is for a paused one, which cannot take the first.
	err := errors.Join(proc.signal(syscall.SIGTERM), proc.signal(syscall.SIGCONT))
	if err == nil {
		err = proc.wait(stopWait)
	}
	if err != nil {
		err = fmt.Errorf("stop broker %d: %w; killed it", b.ID, err)
		if killErr := proc.kill(); killErr != nil {
			return errors.Join(err, killErr)
		}
	}
	b.proc = nil
	return err
}

// Pause freezes the broker (SIGSTOP): its connections stay open, nothing is
// answered.
func (b *Broker) Pause() error { return b.freeze(syscall.SIGSTOP, true) }

// Resume lets a paused broker go on (SIGCONT).
func (b *Broker) Resume() error { return b.freeze(syscall.SIGCONT, false) }

func (b *Broker) freeze(sig syscall.Signal, paused bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil {
		return fmt.Errorf("send %v to broker %d: %w", sig, b.ID, errNotRunning)
	}
	if err := b.proc.signal(sig); err != nil {
		return fmt.Errorf("broker %d: %w", b.ID, err)
	}
	b.paused = paused
	return nil
}

var errNotRunning = errors.New("it is not running")

// Running says that the broker is meant to answer: started, and neither
// stopped, killed nor paused.
func (b *Broker) Running() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.proc != nil && !b.paused
}

// died returns an error when the broker ended without having been told to.
func (b *Broker) died() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil || !b.proc.exited() {
		return nil
	}
	err := fmt.Errorf("broker %d ended by itself (%v)", b.ID, b.proc.cmd.ProcessState)
	if text, _ := b.logEnd(); bytes.Contains(text, []byte("Address already in use")) {
		return fmt.Errorf("%w: %w", err, errPortTaken)
	}
	return err
}

var errPortTaken = errors.New("another process has its port")

// AwaitEnd waits until a broker has ended by itself, and takes note of it.
func (b *Broker) AwaitEnd() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.proc == nil {
		return nil
	}
	if err := b.proc.wait(endWait); err != nil {
		return fmt.Errorf("broker %d: %w", b.ID, err)
	}
	b.proc = nil
	return nil
}

// Request sends one request to this broker alone, without retries or caches.
// With it the requests of kmsg can be sent to a broker: req.RequestWith(ctx, b).
func (b *Broker) Request(ctx context.Context, req kmsg.Request) (kmsg.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	return b.c.admin.SeedBrokers()[b.ID-1].Request(ctx, req) // the seeds keep their order
}
