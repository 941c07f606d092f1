//go:build unix

package e2e

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// pythonClient is the client that independent orders are sent with.
const pythonClient = "confluent-kafka[avro,protobuf,json,schemaregistry]==2.16.1"

// pythonWait is how long it may take to fetch it.
const pythonWait = 5 * time.Minute

// python is an interpreter that has the client, which is fetched once from PyPI into a
// cache. Without Python or PyPI the test is skipped, but not in CI.
func python(t *testing.T) string {
	t.Helper()
	bin, err := pythonWith(pythonClient)
	switch {
	case err == nil:
	case os.Getenv("CI") == "true":
		t.Fatalf("no independent producer: %v", err)
	default:
		t.Skipf("no independent producer: %v", err)
	}
	return bin
}

func pythonWith(packages string) (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(base, "windowed-test", "python-"+notInNames.ReplaceAllString(packages, "-"))
	bin := filepath.Join(dir, "bin", "python")
	if _, err := os.Stat(filepath.Join(dir, "complete")); err == nil {
		return bin, nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), pythonWait)
	defer cancel()
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	for _, step := range [][]string{{"python3", "-m", "venv", dir}, {bin, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", packages}} {
		if out, err := exec.CommandContext(ctx, step[0], step[1:]...).CombinedOutput(); err != nil {
			return "", errors.Join(fmt.Errorf("%v: %w: %s", step, err, lastLines(string(out), 5)), os.RemoveAll(dir))
		}
	}
	return bin, os.WriteFile(filepath.Join(dir, "complete"), nil, 0o644)
}
