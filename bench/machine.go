package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// machineNow says where and with what the figures were made.
func machineNow(ctx context.Context, b *bench) string {
	version := "a working copy"
	if text, err := b.exactly().command(ctx, "version"); err == nil {
		version = strings.TrimSpace(string(text))
	}
	return fmt.Sprintf("Made on %s by `bin/bench %s` in %s: %d cores (%s), %s of memory, %s/%s. %s.\n",
		time.Now().UTC().Format(time.DateOnly), strings.Join(os.Args[1:], " "), time.Since(b.began).Round(time.Second),
		runtime.NumCPU(), cpuModel(), memory(), runtime.GOOS, runtime.GOARCH,
		strings.Join(slices.Concat([]string{version, runtime.Version()}, b.broker(), modules(), b.peerVersions(ctx)), ", "))
}

// broker is what was started.
func (b *bench) broker() []string {
	if b.kafka == "" {
		return nil
	}
	return []string{b.kafka}
}

// modules are the versions of the clients in this program, which are windowed's too.
func modules() []string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return nil
	}
	var found []string
	for _, m := range info.Deps {
		if m.Path == "github.com/twmb/franz-go" {
			found = append(found, "franz-go "+m.Version)
		}
	}
	return found
}

// peerVersions are the versions of what was built of the peers.
func (b *bench) peerVersions(ctx context.Context) []string {
	var found []string
	for _, p := range []struct{ dir, jar string }{{"kafka-streams", "kafka-streams"}, {"flink", "flink-streaming-java"}, {"flink", "flink-connector-kafka"}} {
		paths, _ := filepath.Glob(filepath.Join(b.Dir, p.dir, "lib", p.jar+"-[0-9]*.jar"))
		for _, path := range paths {
			found = append(found, p.jar+" "+strings.TrimSuffix(strings.TrimPrefix(filepath.Base(path), p.jar+"-"), ".jar"))
		}
	}
	if _, err := os.Stat(filepath.Join(b.Dir, duckDir)); err == nil {
		found = append(found, "DuckDB "+duckVersion)
	}
	if java := javaVersion(ctx); java != "" {
		found = append(found, java)
	}
	return found
}

// cpuModel is the processor's name, as Linux tells it.
func cpuModel() string {
	text, err := os.ReadFile("/proc/cpuinfo")
	if err != nil {
		return "unknown"
	}
	for line := range strings.Lines(string(text)) {
		if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown"
}

// memory is how much there is, as Linux tells it.
func memory() string {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return "unknown"
	}
	var kib int64
	fmt.Sscanf(string(text), "MemTotal: %d kB", &kib)
	return fmt.Sprintf("%d GiB", (kib+1<<19)>>20)
}
