//go:build planted

package fault

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// Enabled says whether the build has points and planted faults.
const Enabled = true

// The variables: WINDOWED_FAILPOINT=name:n ends the process when it passes the point for
// the n-th time, WINDOWED_PLANTED=fault plants a fault.
const (
	pointVariable = "WINDOWED_FAILPOINT"
	faultVariable = "WINDOWED_PLANTED"
)

var (
	point, passings = readPoint(os.Getenv(pointVariable))
	planted         = readFault(os.Getenv(faultVariable))
	passed          atomic.Int64
)

// readPoint reads name:n. A name that no point has would test nothing.
func readPoint(text string) (name string, n int64) {
	if text == "" {
		return "", 0
	}
	name, times, _ := strings.Cut(text, ":")
	n, err := strconv.ParseInt(times, 10, 64)
	if err != nil || n < 1 || !slices.Contains(Points, name) {
		panic(fmt.Sprintf("%s=%s is not <point>:<passings>; the points are %s", pointVariable, text, strings.Join(Points, ", ")))
	}
	return name, n
}

func readFault(text string) Fault {
	if f := Fault(text); text == "" || slices.Contains(Faults, f) {
		return f
	}
	panic(fmt.Sprintf("%s=%s is no fault; they are %v", faultVariable, text, Faults))
}

// Point ends the process, as kill -9 does, if a test wants that here.
func Point(name string) {
	if name != point || passed.Add(1) != passings {
		return
	}
	_ = syscall.Kill(syscall.Getpid(), syscall.SIGKILL)
	select {} // the signal takes a moment
}

// Planted says whether a test wants fault f.
func Planted(f Fault) bool { return f == planted }

// diskVariable names a file; as long as there is one, the disk is full.
const diskVariable = "WINDOWED_DISK_FULL"

var diskFile = os.Getenv(diskVariable)

// DiskFull says whether a test wants the disk to be full.
func DiskFull() bool {
	if diskFile == "" {
		return false
	}
	_, err := os.Stat(diskFile)
	return err == nil
}
