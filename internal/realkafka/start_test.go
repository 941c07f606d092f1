package realkafka

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// verdict records how Start ended a test.
type verdict struct {
	testing.TB
	skipped, failed string
}

func (v *verdict) Helper()             {}
func (v *verdict) Cleanup(func())      {}
func (v *verdict) Logf(string, ...any) {}
func (v *verdict) Skipf(format string, args ...any) {
	v.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}
func (v *verdict) Fatalf(format string, args ...any) {
	v.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func TestStartWithoutJava(t *testing.T) {
	for _, ci := range []string{"", "true"} {
		t.Setenv("CI", ci)
		t.Setenv("PATH", t.TempDir())
		t.Setenv("JAVA_HOME", "")
		v := &verdict{}
		done := make(chan struct{})
		go func() {
			defer close(done)
			Start(v, DataDir(t.TempDir()))
		}()
		<-done
		if ci == "" && !strings.Contains(v.skipped, "Java 17") {
			t.Errorf("not skipped on a machine without Java: %+v", v)
		}
		if ci != "" && !strings.Contains(v.failed, "may not be skipped") {
			t.Errorf("did not fail in CI without Java: %+v", v)
		}
	}
}
