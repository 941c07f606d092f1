//go:build unix

package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"windowed/internal/engine"
)

// manyStreams are as many as the documentation promises, in the full matrix: they keep a
// small machine busy.
func manyStreams() (n int, full bool) {
	if os.Getenv("WINDOWED_FULL") == "" {
		return 100, false
	}
	return 1000, true
}

// small makes a socket's buffers small, so that a reader that stops reading is felt soon.
func small(_, _ string, c syscall.RawConn) error {
	return c.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_RCVBUF, 16<<10)
		_ = syscall.SetsockoptInt(int(fd), syscall.SOL_SOCKET, syscall.SO_SNDBUF, 16<<10)
	})
}

// TestManyStreams opens many streams, of which a tenth never reads, while orders come
// as fast as they are applied. The engine must not feel it, memory must stay bounded,
// whoever reads gets the newest counts in the end, and whoever does not is dropped.
func TestManyStreams(t *testing.T) {
	w := usual(t, Options{})
	names := make([]string, 30)
	for i := range names {
		names[i] = fmt.Sprintf("a drink with a name that makes an event large, number %d %0200d", i, i)
	}
	many, full := manyStreams()
	alone := applied(w, names, time.Second)
	addr := serveSmall(t, w)
	before := memory()
	var events, ended atomic.Int64
	var last sync.Map
	for i := range many {
		conn := dial(t, addr)
		if i%10 == 0 {
			continue // it never reads
		}
		go func() {
			defer ended.Add(1)
			follow(conn, func(event []byte) {
				events.Add(1)
				last.Store(i, event)
			})
		}()
	}
	together := applied(w, names, 3*time.Second)
	grown := memory() - before
	w.answers.Status.Set(engine.StatusNow{Phase: engine.Running, Commits: 4711})
	eventually(t, "every reader to have the newest counts", func() bool {
		newest := 0
		last.Range(func(_, e any) bool {
			if bytes.Contains(e.([]byte), []byte(`"commits":4711`)) {
				newest++
			}
			return true
		})
		return newest == many*9/10
	})
	eventually(t, "the readers that do not read to be dropped", func() bool {
		w.server.stream.mu.Lock()
		defer w.server.stream.mu.Unlock()
		return w.server.stream.readers == many*9/10
	})
	t.Logf("%d streams: %d events, memory grew by %d KB a stream (clients included), %.0f transactions/s alone, %.0f with the streams",
		many, events.Load(), grown>>10/int64(many), alone, together)
	if grown > int64(many)*150<<10 {
		t.Errorf("memory grew by %d MB", grown>>20)
	}
	if slowest := w.slowest.Load(); full && time.Duration(slowest) > time.Second {
		t.Errorf("a transaction took %v to be applied", time.Duration(slowest))
	}
	w.server.Close()
	eventually(t, "the streams to end", func() bool { return ended.Load() == int64(many*9/10) })
}

// TestSlowReader asks again and again and reads nothing: the server hangs up.
func TestSlowReader(t *testing.T) {
	w := usual(t, Options{})
	w.server.patience = 200 * time.Millisecond
	conn := connect(t, serveSmall(t, w))
	_ = conn.SetWriteDeadline(time.Now().Add(30 * time.Second))
	for {
		_, err := io.WriteString(conn, "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n")
		if errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal("the server still waits")
		}
		if err != nil {
			return
		}
		time.Sleep(time.Millisecond)
	}
}

// applied commits orders for a while; it returns how many a second.
func applied(w *world, names []string, span time.Duration) float64 {
	began, n := time.Now(), 0
	for ; time.Since(began) < span; n++ {
		start := time.Now()
		w.orders(int32(n%2), noon+2*hour, names...)
		if took := int64(time.Since(start)); took > w.slowest.Load() {
			w.slowest.Store(took)
		}
		time.Sleep(time.Millisecond)
	}
	return float64(n) / time.Since(began).Seconds()
}

func serveSmall(t *testing.T, w *world) string {
	t.Helper()
	w.server.stream.patience = 3 * time.Second
	l, err := (&net.ListenConfig{Control: small}).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{Handler: w.server}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() {
		w.server.Close()
		server.Close()
	})
	return l.Addr().String()
}

// dial asks for a stream on a connection of its own.
func dial(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn := connect(t, addr)
	if _, err := io.WriteString(conn, "GET /v1/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"); err != nil {
		t.Fatal(err)
	}
	return conn
}

// connect is a connection with small buffers.
func connect(t *testing.T, addr string) net.Conn {
	t.Helper()
	conn, err := (&net.Dialer{Control: small, Timeout: 10 * time.Second}).Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

// follow reads events until the stream ends. It knows them by the blank line at the end.
func follow(conn net.Conn, each func([]byte)) {
	var event []byte
	buf := make([]byte, 16<<10)
	for {
		n, err := conn.Read(buf)
		event = append(event, buf[:n]...)
		for {
			i := bytes.Index(event, []byte("\n\n"))
			if i < 0 {
				break
			}
			each(append([]byte(nil), event[:i]...))
			event = append(event[:0], event[i+2:]...)
		}
		if err != nil || bytes.Contains(event, []byte("\r\n0\r\n\r\n")) {
			return
		}
	}
}

// memory is what the process holds for good.
func memory() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapInuse + m.StackInuse)
}

func eventually(t *testing.T, what string, ok func() bool) {
	t.Helper()
	for deadline := time.Now().Add(60 * time.Second); !ok(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("waited for %s", what)
		}
	}
}
