package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

// errMissing says that a contestant cannot run here, for want of a program.
var errMissing = errors.New("left out")

// jvmPeer is a peer that is built with Maven from bench/peers/<dir>.
type jvmPeer struct {
	title string
	dir   string // of its sources, below bench/peers
	class string
	flags []string
	heap  string

	built string // where it was built
}

// kafkaStreams is Kafka Streams in one of its forms (dsl, by-partition).
func kafkaStreams(title, form, guarantee, heap string) *jvmPeer {
	return &jvmPeer{
		title: title + ", " + strings.ReplaceAll(guarantee, "-", " "), dir: "kafka-streams", class: "bench.Streams", heap: heap,
		flags: []string{"--form=" + form, "--guarantee=" + guarantee},
	}
}

// flink is Flink with one kind of state (hashmap, rocksdb).
func flink(title, backend, heap string) *jvmPeer {
	return &jvmPeer{title: title, dir: "flink", class: "bench.Job", heap: heap, flags: []string{"--backend=" + backend}}
}

func (p *jvmPeer) name() string { return p.title }

// build builds the peer below out, unless it is there.
func (p *jvmPeer) build(ctx context.Context, sources, out string, progress func(string, ...any)) error {
	if _, err := exec.LookPath("java"); err != nil {
		return fmt.Errorf("%w: no java here", errMissing)
	}
	stamp, err := hashTree(filepath.Join(sources, p.dir), filepath.Join(sources, "common"))
	if err != nil {
		return err
	}
	if p.built, err = filepath.Abs(filepath.Join(out, p.dir)); err != nil {
		return err
	}
	mark := filepath.Join(p.built, "sources.sha256")
	if had, _ := os.ReadFile(mark); string(had) == stamp {
		return nil
	}
	if _, err := exec.LookPath("mvn"); err != nil {
		return fmt.Errorf("%w: no mvn here", errMissing)
	}
	progress("building %s with Maven; the first time it fetches the jars", p.dir)
	if err := os.RemoveAll(p.built); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "mvn", "-q", "-B", "-Dout="+p.built, "-f", filepath.Join(sources, p.dir, "pom.xml"), "package")
	cmd.SysProcAttr = childAttr()
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w\n%s", p.dir, err, text)
	}
	return os.WriteFile(mark, []byte(stamp), 0o644)
}

// hashTree is a digest of all files below some directories.
func hashTree(dirs ...string) (string, error) {
	hash := sha256.New()
	for _, dir := range dirs {
		err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
			if err != nil || e.IsDir() {
				return err
			}
			text, err := os.ReadFile(path)
			fmt.Fprintf(hash, "%s %d\n%s", e.Name(), len(text), text)
			return err
		})
		if err != nil {
			return "", err
		}
	}
	return fmt.Sprintf("%x", hash.Sum(nil)), nil
}

func (p *jvmPeer) start(_ context.Context, f *field) (entrant, error) {
	state := filepath.Join(f.dir, "state")
	if err := os.MkdirAll(state, 0o755); err != nil {
		return nil, err
	}
	args := []string{
		// Errors only: Kafka Streams warns of each item it drops, which would slow it down.
		"-Xmx" + p.heap, "-Dorg.slf4j.simpleLogger.defaultLogLevel=error",
		"--add-opens=java.base/java.lang=ALL-UNNAMED", "--add-opens=java.base/java.util=ALL-UNNAMED",
		"-cp", filepath.Join(p.built, "classes") + string(os.PathListSeparator) + filepath.Join(p.built, "lib", "*"), p.class,
		"--brokers=" + strings.Join(f.brokers, ","), "--topic=" + f.topic, "--group=" + f.name, "--state=" + state,
		"--orders=" + strconv.FormatInt(f.truth.Orders, 10), "--items=" + strconv.FormatInt(f.truth.Items, 10),
		"--window-ms=" + ms(f.workload.Window), "--grace-ms=" + ms(f.workload.Grace), "--retention-ms=" + ms(f.workload.Span+2*f.workload.Window+f.workload.Grace),
		"--commit-ms=" + ms(f.commit), "--threads=" + strconv.Itoa(runtime.NumCPU()),
	}
	return speak(f, true, nil, "java", append(args, p.flags...)...)
}

// javaVersion is the first line of java -version.
func javaVersion(ctx context.Context) string {
	text, err := exec.CommandContext(ctx, "java", "-version").CombinedOutput()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(text), "\n")
	return strings.ReplaceAll(line, `"`, "")
}
