package state

import (
	"os"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"

	"windowed/internal/fault"
)

// writes is a file system on which a write that fails ends the process with a message.
//
// Pebble cannot go on without its log. Where a write to it fails, it panics, with a
// mutex unlocked that it unlocks again, which nobody can recover from: the process would
// end with a trace of goroutines that names the full disk in passing, if at all.
//
// So it is while the store is opened. Pebble flushes what the log holds before it goes on,
// again and again if that fails, for ever if the disk is full. And it does not wait for
// what it has begun when it gives up: a compaction then works on with closed files, and
// panics.
type writes struct {
	vfs.FS
	log pebble.Logger
}

// failed ends the process if an operation on a file has failed. A Fatalf that returns is
// that of a test, for which the process has ended: what it does from here on reaches
// nobody, but Pebble would crash the test if it heard of the error.
func (w writes) failed(op, name string, err error) error {
	if err == nil {
		return nil
	}
	if fault.Planted(fault.DiskErrorIgnored) {
		return nil
	}
	w.log.Fatalf("%s", &os.PathError{Op: op, Path: name, Err: cause(err)})
	return nil
}

// cause is err without the path, if it has one.
func cause(err error) error {
	if p, ok := err.(*os.PathError); ok {
		return p.Err
	}
	return err
}

// Unwrap implements vfs.FS.
func (w writes) Unwrap() vfs.FS { return w.FS }

// Create implements vfs.FS.
func (w writes) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := w.FS.Create(name, category)
	return w.watch(f, name, err)
}

// OpenReadWrite implements vfs.FS.
func (w writes) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	f, err := w.FS.OpenReadWrite(name, category, opts...)
	return w.watch(f, name, err)
}

// ReuseForWrite implements vfs.FS.
func (w writes) ReuseForWrite(oldname, newname string, category vfs.DiskWriteCategory) (vfs.File, error) {
	f, err := w.FS.ReuseForWrite(oldname, newname, category)
	return w.watch(f, newname, err)
}

// OpenDir implements vfs.FS. The handle of a directory is for syncs alone.
func (w writes) OpenDir(name string) (vfs.File, error) {
	f, err := w.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return writtenFile{f, w, name}, nil
}

// Rename implements vfs.FS.
func (w writes) Rename(oldname, newname string) error {
	return w.failed("rename", newname, w.FS.Rename(oldname, newname))
}

// Link implements vfs.FS.
func (w writes) Link(oldname, newname string) error {
	return w.failed("link", newname, w.FS.Link(oldname, newname))
}

// watch watches the writes to a file.
func (w writes) watch(f vfs.File, name string, err error) (vfs.File, error) {
	if err != nil {
		_ = w.failed("create", name, err)
		return nil, err
	}
	return writtenFile{f, w, name}, nil
}

// writtenFile is a file whose writes must not fail.
type writtenFile struct {
	vfs.File
	fs   writes
	name string
}

// Write implements vfs.File.
func (f writtenFile) Write(b []byte) (int, error) {
	n, err := f.File.Write(b)
	if err = f.fs.failed("write", f.name, err); err == nil {
		n = len(b)
	}
	return n, err
}

// WriteAt implements vfs.File.
func (f writtenFile) WriteAt(b []byte, at int64) (int, error) {
	n, err := f.File.WriteAt(b, at)
	if err = f.fs.failed("write", f.name, err); err == nil {
		n = len(b)
	}
	return n, err
}

// Sync implements vfs.File.
func (f writtenFile) Sync() error {
	return f.fs.failed("sync", f.name, f.File.Sync())
}

// SyncData implements vfs.File.
func (f writtenFile) SyncData() error {
	return f.fs.failed("sync", f.name, f.File.SyncData())
}

// SyncTo implements vfs.File.
func (f writtenFile) SyncTo(length int64) (whole bool, err error) {
	whole, err = f.File.SyncTo(length)
	return whole, f.fs.failed("sync", f.name, err)
}
