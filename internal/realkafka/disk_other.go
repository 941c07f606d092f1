//go:build unix && !linux

package realkafka

import "errors"

// FillDisk is there on Linux only.
func (b *Broker) FillDisk() error { return errors.New("fill the broker's disk: only on Linux") }
