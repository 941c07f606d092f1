package realkafka

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const archiveWait = 60 * time.Second

// ensureArchive returns the path of the class data archive, which halves the
// start of a broker, and makes it when there is none. Without one, "", brokers
// start all the same, so an error here is only told.
func (j *java) ensureArchive(ctx context.Context, logf func(string, ...any)) string {
	path := j.archivePath()
	if exists(path) {
		return path
	}
	unlock, err := lockFile(ctx, filepath.Join(j.cache, lockName))
	if err != nil {
		logf("realkafka: going on without a class data archive: %v", err)
		return ""
	}
	defer unlock()
	if exists(path) { // another process has just made it
		return path
	}
	begin := time.Now()
	if err := j.makeArchive(ctx, path); err != nil {
		logf("realkafka: going on without a class data archive: %v", err)
		return ""
	}
	logf("realkafka: made the class data archive %s in %.1fs", path, time.Since(begin).Seconds())
	return path
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// makeArchive runs one broker to the point where it is of use and has the JVM
// write down the classes it loaded, when it ends.
func (j *java) makeArchive(ctx context.Context, path string) (err error) {
	ctx, cancel := context.WithTimeout(ctx, archiveWait)
	defer cancel()
	temp, err := os.MkdirTemp(j.cache, tempPrefix)
	if err != nil {
		return fmt.Errorf("make a temporary directory: %w", err)
	}
	defer os.RemoveAll(temp)
	o, err := newOptions(nil)
	if err != nil {
		return err
	}
	o.archiveTo = filepath.Join(temp, "archive.jsa")
	c, err := newCluster(ctx, temp, o, j, "")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if err := c.CreateTopic(ctx, "archive", 1, nil); err != nil {
		return err
	}
	if err := c.brokers[0].Stop(); err != nil {
		return err
	}
	if err := os.Rename(o.archiveTo, path); err != nil {
		return fmt.Errorf("put the archive in place: %w", err)
	}
	return nil
}
