package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// child is a contestant's process. What it says on stdout comes line by line; what it
// logs goes to a file. It is started from the main thread (see main), with which the
// kernel ends it.
type child struct {
	cmd   *exec.Cmd
	began time.Time
	log   string // path
	in    io.WriteCloser
	lines chan string
	ended chan struct{}
	err   error // how it ended, once ended is closed
}

// stopWait is how long a process may take to stop when it is told to.
const stopWait = 20 * time.Second

// startChild starts a program, its log at dir/<name>.log.
func startChild(dir, name string, env []string, program string, args ...string) (*child, error) {
	c := &child{log: filepath.Join(dir, name+".log"), lines: make(chan string, 1024), ended: make(chan struct{})}
	log, err := os.Create(c.log)
	if err != nil {
		return nil, fmt.Errorf("make the log of %s: %w", name, err)
	}
	defer log.Close() // the child has its own
	fmt.Fprintln(log, program, strings.Join(args, " "))
	c.cmd = exec.Command(program, args...)
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.Stderr = log
	c.cmd.SysProcAttr = childAttr()
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	c.began = time.Now()
	if err := c.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	go c.listen(out)
	return c, nil
}

// listen passes lines on until the process has ended. Lines that nobody waits for are
// dropped.
func (c *child) listen(out io.Reader) {
	scan := bufio.NewScanner(out)
	scan.Buffer(nil, 1<<20)
	for scan.Scan() {
		select {
		case c.lines <- scan.Text():
		default:
		}
	}
	io.Copy(io.Discard, out)
	c.err = c.cmd.Wait()
	close(c.ended)
}

// await waits for a line that begins with word, and returns its other words.
func (c *child) await(ctx context.Context, word string) ([]string, error) {
	for {
		// What was said comes before what became of the process.
		select {
		case line := <-c.lines:
			if words := strings.Fields(line); len(words) > 0 && words[0] == word {
				return words[1:], nil
			}
			continue
		default:
		}
		select {
		case line := <-c.lines:
			if words := strings.Fields(line); len(words) > 0 && words[0] == word {
				return words[1:], nil
			}
		case <-c.ended:
			if len(c.lines) == 0 {
				return nil, c.gone()
			}
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// gone says how a process ended that should not have.
func (c *child) gone() error {
	text, _ := os.ReadFile(c.log)
	if len(text) > 2000 {
		text = text[len(text)-2000:]
	}
	return fmt.Errorf("it ended (%v), see %s:\n%s", c.cmd.ProcessState, c.log, text)
}

// poll asks every now and then until ready says yes, ctx or the process ends.
func (c *child) poll(ctx context.Context, every time.Duration, ready func() (bool, error)) error {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		if ok, err := ready(); ok || err != nil {
			return err
		}
		select {
		case <-c.ended:
			return c.gone()
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-tick.C:
		}
	}
}

// goOn lets a contestant go on that waits after it has said that it is done.
func (c *child) goOn() error {
	_, err := io.WriteString(c.in, "\n")
	return err
}

// stop asks the process to end, and kills it if it does not.
func (c *child) stop() {
	c.in.Close()
	c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.ended:
		return
	case <-time.After(stopWait):
	}
	c.kill()
}

// kill ends the process at once.
func (c *child) kill() {
	c.cmd.Process.Kill()
	<-c.ended
}

// ticks is the unit of CPU time in /proc, 1/100 s on every Linux that Go knows.
const ticks = 100

// cpu is the CPU time the process has taken so far, in seconds.
func (c *child) cpu() (float64, error) {
	text, err := c.proc("stat")
	if err != nil {
		return 0, fmt.Errorf("read the CPU time of a process: %w", err)
	}
	return cpuOf(text)
}

// proc reads a file of the process's in /proc.
func (c *child) proc(name string) (string, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/%s", c.cmd.Process.Pid, name))
	if errors.Is(err, syscall.ESRCH) || errors.Is(err, os.ErrNotExist) && runtime.GOOS == "linux" {
		<-c.ended
		return "", c.gone()
	}
	return string(text), err
}

// cpuOf reads the CPU time in seconds from the text of a /proc/<pid>/stat.
func cpuOf(text string) (float64, error) {
	// The name of the program may hold anything, so count from behind it.
	fields := strings.Fields(text[strings.LastIndexByte(text, ')')+1:])
	const user, system = 11, 12
	if len(fields) <= system {
		return 0, errors.New("read the CPU time of a process: too few fields")
	}
	sum := 0.0
	for _, field := range []string{fields[user], fields[system]} {
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, fmt.Errorf("read the CPU time of a process: %w", err)
		}
		sum += float64(n) / ticks
	}
	return sum, nil
}

// peak is the most memory the process has held at once, in bytes.
func (c *child) peak() (int64, error) {
	text, err := c.proc("status")
	if err != nil {
		return 0, fmt.Errorf("read the memory of a process: %w", err)
	}
	return peakOf(text)
}

// peakOf reads the peak memory in bytes from the text of a /proc/<pid>/status.
func peakOf(text string) (int64, error) {
	_, rest, found := strings.Cut(text, "VmHWM:")
	fields := strings.Fields(rest)
	if !found || len(fields) < 2 || fields[1] != "kB" {
		return 0, errors.New("read the memory of a process: no VmHWM")
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	return kib << 10, err
}
