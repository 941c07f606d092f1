package state

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/cockroachdb/pebble/v2/vfs/errorfs"

	"windowed/window"
)

// TestSecondOpener: a store belongs to one process, and in it to one State.
func TestSecondOpener(t *testing.T) {
	const variable = "WINDOWED_TEST_OPEN"
	if dir := os.Getenv(variable); dir != "" {
		_, err := openDir(dir)
		fmt.Println("locked:", errors.Is(err, ErrLocked), "corrupt:", errors.Is(err, ErrCorrupt))
		return
	}
	dir := filepath.Join(t.TempDir(), "state")
	st, err := openDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := openDir(dir); !errors.Is(err, ErrLocked) || errors.Is(err, ErrCorrupt) {
		t.Errorf("second opener: %v, want ErrLocked", err)
	}
	other := exec.Command(os.Args[0], "-test.run=^TestSecondOpener$")
	other.Env = append(os.Environ(), variable+"="+dir)
	if out, err := other.CombinedOutput(); err != nil || !strings.Contains(string(out), "locked: true corrupt: false") {
		t.Errorf("another process: %s, %v, want ErrLocked", out, err)
	}
	mustApply(t, st, 0, 1, total("x", 1))
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if st, err = openDir(dir); err != nil {
		t.Fatalf("after the first has closed it: %v", err)
	}
	if n, err := st.Count(0, "x", window.AllTime); n != 1 || err != nil {
		t.Errorf("count %d, %v, want 1", n, err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestOutOfResources: every operation of Open is refused in turn, as a full disk, a lack
// of rights or of file handles does it. That is no damage and no lock, nothing must be
// moved aside for it, and the store must be whole afterwards.
func TestOutOfResources(t *testing.T) {
	whole := vfs.NewMem()
	st := mustOpen(t, testOptions(whole))
	for i := range int64(20) {
		mustApply(t, st, 0, i+1, total(fmt.Sprint(i), uint64(i)+1), meta(NewMeta(i)))
		if i == 10 {
			mustCheckpoint(t, st)
			if err := st.db.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	for _, cause := range []error{syscall.ENOSPC, syscall.EACCES, syscall.EMFILE} {
		refused := 0
		for index := int32(0); ; index++ {
			disk := vfs.NewMem()
			if _, err := vfs.Clone(whole, disk, "state", "state"); err != nil {
				t.Fatal(err)
			}
			done, err := openRefused(disk, index, cause)
			if err != nil {
				refused++
			}
			if err != nil && (errors.Is(err, ErrCorrupt) || errors.Is(err, ErrLocked)) {
				t.Errorf("%v at operation %d: %v", cause, index, err)
			}
			again := vfs.NewMem() // without the locks of a process that ended
			if _, err := vfs.Clone(disk, again, "state", "state"); err != nil {
				t.Fatal(err)
			}
			st := mustOpen(t, testOptions(again))
			if top := mustTop(t, st, window.AllTime, 100); len(top) != 20 || st.Position(0) != 20 {
				t.Fatalf("%v at operation %d: %d drinks and position %d afterwards", cause, index, len(top), st.Position(0))
			}
			_ = st.Abandon()
			if done {
				break
			}
		}
		if refused < 10 {
			t.Errorf("%v: Open failed %d times only", cause, refused)
		}
	}
}

// endLogger stands for a process that ends: Fatalf tells of it and does not return.
type endLogger struct {
	testLogger
	ended chan error
}

func (l *endLogger) Fatalf(format string, args ...any) {
	l.ended <- fmt.Errorf(format, args...)
	select {}
}

// openRefused opens a store whose operation number index fails; done says that there
// were not so many. Where Pebble ends the process, that is the error.
func openRefused(disk vfs.FS, index int32, cause error) (done bool, err error) {
	var operations atomic.Int32
	var opened atomic.Bool
	inject := errorfs.InjectorFunc(func(op errorfs.Op) error {
		if opened.Load() || operations.Add(1) != index+1 {
			return nil
		}
		return &os.PathError{Op: "write", Path: op.Path, Err: cause}
	})
	logger := &endLogger{ended: make(chan error, 10)}
	go func() {
		opts := testOptions(errorfs.Wrap(disk, inject))
		opts.Logger = logger
		st, err := Open("state", opts)
		if opened.Store(true); err == nil {
			done = operations.Load() <= index
			err = st.Abandon()
		}
		logger.ended <- err
	}()
	err = <-logger.ended
	return done && err == nil, err
}

// TestCorrupt: what a new store does not heal is no damage.
func TestCorrupt(t *testing.T) {
	plain := errors.New("checksum mismatch")
	if err := corrupt(plain); !errors.Is(err, ErrCorrupt) || !errors.Is(err, plain) {
		t.Errorf("%v, want ErrCorrupt around it", err)
	}
	if err := corrupt(&fs.PathError{Err: syscall.ENOENT}); !errors.Is(err, ErrCorrupt) {
		t.Errorf("a missing file: %v, want ErrCorrupt", err)
	}
	for _, cause := range []error{
		syscall.ENOSPC, syscall.EDQUOT, syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM, errNewer,
	} {
		if err := corrupt(fmt.Errorf("open: %w", &fs.PathError{Err: cause})); errors.Is(err, ErrCorrupt) || !errors.Is(err, cause) {
			t.Errorf("%v: %v, want no ErrCorrupt", cause, err)
		}
	}
}

func TestOpenInAFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openDir(file); err == nil || errors.Is(err, ErrCorrupt) || errors.Is(err, ErrLocked) {
		t.Errorf("%v, want an error that says so", err)
	}
}

// TestClosed: what is asked of a closed state is answered, not with a panic.
func TestClosed(t *testing.T) {
	st := mustOpen(t, testOptions(vfs.NewMem()))
	mustApply(t, st, 0, 1, total("x", 1), numbers(0, 1, 1), count(0, "x", 1), emitted(0, 0, 1))
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	calls := map[string]func() error{
		"apply":       func() error { return st.Apply(0, []Change{total("x", 2)}, 2) },
		"checkpoint":  func() error { return st.Checkpoint(true) },
		"top":         func() error { _, err := st.Top(window.At(0), 1); return err },
		"count":       func() error { _, err := st.Count(0, "x", window.AllTime); return err },
		"counts":      func() error { return st.AddCounts(0, window.At(0), nil) },
		"numbers":     func() error { _, err := st.Numbers(0, 0); return err },
		"emitted":     func() error { _, _, err := st.Emitted(0); return err },
		"window":      func() error { _, _, err := st.Window(0); return err },
		"windows":     func() error { _, err := st.Windows(0, 10, 1); return err },
		"drinks":      func() error { _, err := st.AllTimeDrinks(); return err },
		"expirable":   func() error { _, _, err := st.Expirable(0, 1000, 1); return err },
		"live":        func() error { _, err := st.Live(0, nil); return err },
		"forgettable": func() error { _, err := st.Forgettable(1); return err },
	}
	st.global = &Global{} // of no partitions: all of them have expired everything
	for name, call := range calls {
		if err := call(); !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v, want ErrClosed", name, err)
		}
	}
	if err := errors.Join(st.Close(), st.Abandon()); err != nil {
		t.Errorf("closed again: %v", err)
	}
}

// TestCloseUnderReads closes a state while others read it.
func TestCloseUnderReads(t *testing.T) {
	st := mustOpen(t, testOptions(vfs.NewMem()))
	for i := range 200 {
		mustApply(t, st, 0, int64(i)+1, total(fmt.Sprint(i), 1))
	}
	var readers sync.WaitGroup
	started := make(chan struct{}, 4)
	for range 4 {
		readers.Go(func() {
			for i := 0; ; i++ {
				_, err := st.Top(window.AllTime, 100) // beyond the capacity: a scan
				if err == nil {
					_, err = st.Live(0, func(_, _ []byte) error { return nil })
				}
				if errors.Is(err, ErrClosed) {
					return
				}
				if err != nil {
					t.Errorf("read: %v", err)
					return
				}
				if i == 3 {
					started <- struct{}{}
				}
			}
		})
	}
	for range 4 {
		<-started
	}
	if err := st.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	readers.Wait()
}

func TestQuarantine(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "state")
	st, err := openDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	mustApply(t, st, 0, 1, total("x", 1))
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 3, 1, 11, 0, 0, 5_000_000, time.FixedZone("", 3600))
	aside, err := Quarantine(dir+string(filepath.Separator), now)
	if want := dir + ".bad-20260301T100000.005"; err != nil || aside != want {
		t.Fatalf("moved to %s, %v, want %s", aside, err, want)
	}
	if st, err = openDir(dir); err != nil {
		t.Fatal(err)
	}
	if st.Position(0) != 0 {
		t.Errorf("position %d in a new store", st.Position(0))
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if st, err = openDir(aside); err != nil || st.Position(0) != 1 {
		t.Fatalf("the old store: %v", err)
	}
	if err := st.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Quarantine(dir, now); err == nil {
		t.Error("another store is already there and was overwritten")
	}
	if _, err := Quarantine(filepath.Join(t.TempDir(), "none"), now); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no store: %v", err)
	}
}
