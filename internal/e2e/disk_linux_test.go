package e2e

import (
	"fmt"
	"syscall"
	"testing"
)

// mountSmall mounts a file system in memory, of so many bytes, until the test ends.
func mountSmall(t *testing.T, dir string, size int) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		return err
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return nil
}
