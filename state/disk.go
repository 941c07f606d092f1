//go:build !planted

package state

import "github.com/cockroachdb/pebble/v2/vfs"

// disk is the file system as it is.
func disk(fs vfs.FS) vfs.FS { return fs }
