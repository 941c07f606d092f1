package realkafka

import (
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

//go:embed pom.xml
var pom []byte

// Version is the version of Apache Kafka that is started.
const Version = "4.3.1"

const (
	kafkaJar   = "kafka_2.13-" + Version + ".jar"
	libName    = "lib"
	tempPrefix = "tmp-"
	fetchWait  = 5 * time.Minute
)

// ensureJars returns the directory with Kafka's jars: cache itself when it was
// filled by hand, or else its lib directory, which Maven fills once.
func ensureJars(ctx context.Context, cache string, logf func(string, ...any)) (string, error) {
	if lib, ok := findJars(cache); ok {
		return lib, nil
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		return "", fmt.Errorf("%w: %w", ErrMissing, err)
	}
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return "", fmt.Errorf("make the directory for Kafka's jars: %w", err)
	}
	unlock, err := lockFile(ctx, filepath.Join(cache, lockName))
	if err != nil {
		return "", fmt.Errorf("fetch Kafka's jars: %w", err)
	}
	defer unlock()
	if lib, ok := findJars(cache); ok { // another process has just done it
		return lib, nil
	}
	begin := time.Now()
	logf("realkafka: fetching the jars of Kafka %s into %s", Version, cache)
	lib, err := fetchJars(ctx, cache)
	if err != nil {
		return "", fmt.Errorf("fetch Kafka's jars: %w", err)
	}
	logf("realkafka: fetched in %.1fs", time.Since(begin).Seconds())
	return lib, nil
}

func findJars(cache string) (string, bool) {
	for _, dir := range []string{cache, filepath.Join(cache, libName)} {
		if _, err := os.Stat(filepath.Join(dir, kafkaJar)); err == nil {
			return dir, true
		}
	}
	return "", false
}

// fetchJars lets Maven copy the jars into a temporary directory and renames it,
// so that an interrupted download is never taken for a whole one. The caller
// holds the lock.
func fetchJars(ctx context.Context, cache string) (string, error) {
	lib := filepath.Join(cache, libName)
	left, _ := filepath.Glob(filepath.Join(cache, tempPrefix+"*"))
	for _, dir := range append(left, lib) { // leavings, or another version's jars
		if err := os.RemoveAll(dir); err != nil {
			return "", fmt.Errorf("remove what an earlier try left: %w", err)
		}
	}
	temp, err := os.MkdirTemp(cache, tempPrefix)
	if err != nil {
		return "", fmt.Errorf("make a temporary directory: %w", err)
	}
	defer os.RemoveAll(temp)
	jars := filepath.Join(temp, libName)
	if err := runMaven(ctx, temp, jars); err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(jars, kafkaJar)); err != nil {
		return "", fmt.Errorf("maven ended well, but: %w", err)
	}
	if err := os.Rename(jars, lib); err != nil {
		return "", fmt.Errorf("put the jars in place: %w", err)
	}
	return lib, nil
}

func runMaven(ctx context.Context, dir, lib string) error {
	file := filepath.Join(dir, "pom.xml")
	if err := os.WriteFile(file, pom, 0o644); err != nil {
		return fmt.Errorf("write pom.xml: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, fetchWait)
	defer cancel()
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, "mvn", "-q", "-B", "-Dlib="+lib, "-f", file, "package")
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, &out, &out
	cmd.WaitDelay = killWait
	s := newSpawner()
	defer s.close()
	p, err := s.start(cmd)
	if err != nil {
		return err
	}
	<-p.done // bounded by the context and WaitDelay
	if p.err != nil {
		return fmt.Errorf("mvn package: %w (%w)\n%s", p.err, context.Cause(ctx), tail(out.Bytes()))
	}
	return nil
}
