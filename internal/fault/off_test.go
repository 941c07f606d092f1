//go:build !planted

package fault

import "testing"

// In a normal build nothing can be switched on, and it costs nothing.
func TestNothingInANormalBuild(t *testing.T) {
	t.Setenv("WINDOWED_PLANTED", string(ApplyFirst))
	t.Setenv("WINDOWED_FAILPOINT", Polled+":1")
	if n := testing.AllocsPerRun(1000, func() {
		Point(Polled)
		if Enabled || Planted(ApplyFirst) {
			t.Fatal("a fault can be planted in a normal build")
		}
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

// Both are as fast as the empty loop: they are compiled away. b.Loop would not inline them.
func BenchmarkNothing(b *testing.B) {
	for range b.N {
	}
}

func BenchmarkPoint(b *testing.B) {
	for range b.N {
		Point(Polled)
	}
}

func BenchmarkPlanted(b *testing.B) {
	for range b.N {
		if Planted(ApplyFirst) {
			b.Fatal("planted")
		}
	}
}
