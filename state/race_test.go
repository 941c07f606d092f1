//go:build race

package state

import "flag"

// The race detector turns on Pebble's checks of itself as well. They take a hundred times
// as long, and find a cut MANIFEST, which Pebble otherwise does not.
const raceEnabled = true

func init() { _ = flag.Set("rapid.checks", "8") } // unless the command line says otherwise
