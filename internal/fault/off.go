//go:build !planted

package fault

// Enabled says whether the build has points and planted faults.
const Enabled = false

// Point marks a place where a test may end the process.
func Point(string) {}

// Planted says whether a test wants fault f.
func Planted(Fault) bool { return false }

// DiskFull says whether a test wants the disk to be full.
func DiskFull() bool { return false }
