package main

import (
	"fmt"
	"log/slog"
	"os"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// terminal opens a terminal: what is written to it comes out of read.
func terminal(t *testing.T) (tty *os.File, read func() string) {
	t.Helper()
	outside, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminals here:", err)
	}
	var unlocked, number int32
	for request, value := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlocked, syscall.TIOCGPTN: &number} {
		if _, _, e := syscall.Syscall(syscall.SYS_IOCTL, outside.Fd(), request, uintptr(unsafe.Pointer(value))); e != 0 {
			t.Skip("no terminals here:", e)
		}
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skip("no terminals here:", err)
	}
	t.Cleanup(func() {
		tty.Close()
		outside.Close()
	})
	return tty, func() string {
		text := make([]byte, 64<<10)
		n, err := outside.Read(text)
		if err != nil {
			t.Fatal(err)
		}
		return string(text[:n])
	}
}

// TestNoColor: log lines have colours on a terminal only, and none with NO_COLOR.
func TestNoColor(t *testing.T) {
	tty, read := terminal(t)
	line := func(std streams) {
		t.Helper()
		log, err := (&cli{LogLevel: "info", LogFormat: "auto"}).logger(std)
		if err != nil {
			t.Fatal(err)
		}
		log.Info("a line", slog.String("key", "value"))
	}
	for value, coloured := range map[string]bool{"": true, "1": false, "0": false} {
		t.Setenv("NO_COLOR", value)
		line(streams{err: tty})
		if text := read(); strings.Contains(text, "\x1b[") != coloured || !strings.Contains(text, "a line") {
			t.Errorf("NO_COLOR=%q: %q", value, text)
		}
	}
	t.Setenv("NO_COLOR", "")
	var file strings.Builder
	line(streams{err: &file})
	if strings.Contains(file.String(), "\x1b") {
		t.Errorf("elsewhere: %q", file.String())
	}
}
