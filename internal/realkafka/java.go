package realkafka

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// ErrMissing says that Java or Maven is not on this machine. Start then skips
// the test.
var ErrMissing = errors.New("a real Kafka needs Java 17 or newer, and Maven to fetch its jars")

// java is all that is needed to start a Kafka process.
type java struct {
	bin       string   // the java command
	cache     string   // the directory of the jars and the archive
	classPath []string // sorted: the archive belongs to one order
}

// findJava finds the java command and makes sure that the jars are there.
func findJava(ctx context.Context, logf func(string, ...any)) (*java, error) {
	bin, err := javaCommand()
	if err != nil {
		return nil, err
	}
	cache, err := cacheDir()
	if err != nil {
		return nil, err
	}
	lib, err := ensureJars(ctx, cache, logf)
	if err != nil {
		return nil, err
	}
	jars, err := filepath.Glob(filepath.Join(lib, "*.jar"))
	if err != nil {
		return nil, fmt.Errorf("list the jars in %s: %w", lib, err)
	}
	slices.Sort(jars)
	return &java{bin: bin, cache: cache, classPath: jars}, nil
}

func javaCommand() (string, error) {
	if home := os.Getenv("JAVA_HOME"); home != "" {
		bin := filepath.Join(home, "bin", "java")
		if _, err := os.Stat(bin); err == nil {
			return bin, nil
		}
	}
	bin, err := exec.LookPath("java")
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrMissing, err)
	}
	return bin, nil
}

// cacheDir is where the jars are kept between runs.
func cacheDir() (string, error) {
	dir := os.Getenv("KAFKA_JARS")
	if dir == "" {
		base, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("find a place for Kafka's jars (set KAFKA_JARS): %w", err)
		}
		dir = filepath.Join(base, "windowed-test", "kafka-"+Version)
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find a place for Kafka's jars: %w", err)
	}
	return dir, nil
}

// command builds the command line of one broker. archive may be "".
func (j *java) command(archive, dir string, o *options) *exec.Cmd {
	// Serial collector and first compiler only: a broker that lives for a
	// test starts in half the time with half the CPU.
	args := []string{"-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"}
	if o.heap != "" {
		args = []string{"-Xms" + o.heap, "-Xmx" + o.heap}
	}
	if o.archiveTo != "" {
		args = append(args, "-XX:ArchiveClassesAtExit="+o.archiveTo)
	} else if archive != "" {
		args = append(args, "-XX:SharedArchiveFile="+archive)
	}
	args = append(args,
		"-Dlog4j2.configurationFile="+filepath.Join(dir, logConfigName),
		"-cp", strings.Join(j.classPath, string(os.PathListSeparator)),
		"kafka.Kafka", filepath.Join(dir, serverConfigName))
	cmd := exec.Command(j.bin, args...)
	cmd.Dir = dir
	return cmd
}

// archivePath names the class data archive after what it depends on: the JVM
// build and the class path.
func (j *java) archivePath() string {
	hash := sha256.New()
	bin := j.bin
	if real, err := filepath.EvalSymlinks(bin); err == nil {
		bin = real
	}
	release, _ := os.ReadFile(filepath.Join(filepath.Dir(bin), "..", "release"))
	fmt.Fprintf(hash, "%s\n%s\n%s", bin, release, strings.Join(j.classPath, "\n"))
	return filepath.Join(j.cache, fmt.Sprintf("kafka-%x.jsa", hash.Sum(nil)[:6]))
}
