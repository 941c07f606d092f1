package realkafka

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestHoldPorts(t *testing.T) {
	ports, err := holdPorts(6)
	must(t, err)
	defer ports.release()
	seen := map[int]bool{}
	for _, p := range ports.numbers {
		if p < firstPort || p >= lastPort || seen[p] {
			t.Errorf("bad or doubled port among %v", ports.numbers)
		}
		seen[p] = true
	}
	if len(seen) != 6 {
		t.Errorf("%d ports, want 6", len(seen))
	}
}

func TestPomFitsTheVersion(t *testing.T) {
	if !bytes.Contains(pom, []byte("<version>"+Version+"</version>")) {
		t.Errorf("pom.xml does not name Kafka %s", Version)
	}
	if len(bootstrap) != 411 {
		t.Errorf("bootstrap.checkpoint has %d bytes, want 411", len(bootstrap))
	}
}

func TestOptions(t *testing.T) {
	if _, err := newOptions([]Option{Brokers(2)}); err == nil {
		t.Error("two brokers were accepted")
	}
	o, err := newOptions([]Option{Brokers(3), Props(map[string]string{"num.io.threads": "9"})})
	must(t, err)
	dir := t.TempDir()
	c := &Cluster{dir: dir, id: "id", opts: o}
	b := &Broker{ID: 2, c: c, dir: brokerDir(dir, 2), port: 20001, controllerPort: 20002}
	must(t, b.writeFiles("2@127.0.0.1:20002"))
	text, err := os.ReadFile(filepath.Join(b.dir, serverConfigName))
	must(t, err)
	for _, line := range []string{
		"num.io.threads=9", "node.id=2", "min.insync.replicas=2", "default.replication.factor=3",
		"listeners=PLAINTEXT://127.0.0.1:20001,CONTROLLER://127.0.0.1:20002",
	} {
		if !strings.Contains("\n"+string(text), "\n"+line+"\n") {
			t.Errorf("server.properties lacks %q:\n%s", line, text)
		}
	}
}

func TestHeap(t *testing.T) {
	args := func(opts ...Option) string {
		o, err := newOptions(opts)
		must(t, err)
		return strings.Join((&java{bin: "java"}).command("", "dir", &o).Args, " ")
	}
	if got := args(); !strings.Contains(got, "-Xmx256m") || !strings.Contains(got, "TieredStopAtLevel=1") {
		t.Errorf("a broker that starts fast: %s", got)
	}
	if got := args(Heap("1g")); !strings.Contains(got, "-Xmx1g") || strings.Contains(got, "TieredStopAtLevel") {
		t.Errorf("a broker that serves a load: %s", got)
	}
}

func TestLockExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), lockName)
	unlock, err := lockFile(t.Context(), path)
	must(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), 3*lockPoll)
	defer cancel()
	if _, err := lockFile(ctx, path); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("second lock: %v", err)
	}
	unlock()
	unlock, err = lockFile(t.Context(), path)
	must(t, err)
	unlock()
}

func TestMissing(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	t.Setenv("JAVA_HOME", "")
	t.Setenv("KAFKA_JARS", t.TempDir())
	if _, err := New(t.Context(), t.TempDir()); !errors.Is(err, ErrMissing) {
		t.Errorf("without java: %v", err)
	}
	must(t, os.WriteFile(filepath.Join(os.Getenv("PATH"), "java"), nil, 0o755))
	if _, err := New(t.Context(), t.TempDir()); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "mvn") {
		t.Errorf("without mvn: %v", err)
	}
}

func TestWaitSaysWhat(t *testing.T) {
	c := &Cluster{}
	err := c.wait(t.Context(), 2*pollEvery, "rain", func(context.Context) error { return errors.New("sun") })
	for _, part := range []string{"waiting for rain", "gave up after 40ms", "sun"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("error %v does not say %q", err, part)
		}
	}
}

func TestTail(t *testing.T) {
	long := strings.Repeat("line\n", tailLines+5)
	if got := string(tail([]byte(long))); strings.Count(got, "line") != tailLines {
		t.Errorf("tail kept %q", got)
	}
}

func TestSpawnerRunsAndKills(t *testing.T) {
	s := newSpawner()
	defer s.close()
	p, err := s.start(sleeper(t))
	must(t, err)
	if err := p.wait(time.Millisecond); err == nil || p.exited() {
		t.Errorf("the process has ended by itself: %v", err)
	}
	must(t, p.kill())
	must(t, p.kill()) // a dead one too
	if !p.exited() {
		t.Error("the process lives on after kill")
	}
}

func sleeper(t *testing.T) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("sleep")
	must(t, err)
	return exec.Command(path, "60")
}
