package engine

import (
	"testing"
	"time"
)

// A transaction may have more keys as long as the brokers are quick, and fewer when they
// are not, however slow they get.
func TestPace(t *testing.T) {
	p := new(pace)
	for i, c := range []struct {
		keys int
		took time.Duration
		want int
	}{
		{0, 0, 600_000},
		{1000, 50 * time.Millisecond, 600_000}, // says nothing of many keys
		{600_000, 3 * time.Second, 600_000},
		{300_000, 2 * time.Second, 1_200_000},
		{1_200_000, 3 * time.Second, 1_200_000},
		{1_200_000, 2 * time.Second, 2_000_000},
		{2_000_000, time.Second, 2_000_000},
		{1_000_000, 6 * time.Second, 1_000_000},
		{1000, 9 * time.Second, 500_000},
		{500_000, 6 * time.Second, 250_000},
		{250_000, 6 * time.Second, 125_000},
		{125_000, 6 * time.Second, 62_500},
		{62_500, 6 * time.Second, 31_250},
		{31_250, 6 * time.Second, 20_000},
		{20_000, 6 * time.Second, 20_000},
		{20_000, time.Second, 40_000},
	} {
		if p.took(c.keys, c.took); p.keys() != c.want {
			t.Errorf("%d: after %d keys in %v the next may have %d, want %d", i, c.keys, c.took, p.keys(), c.want)
		}
	}
}
