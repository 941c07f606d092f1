package main

import (
	"math"
	"math/rand/v2"
)

// sampler picks drinks, each as often as its weight says, in constant time (Walker's
// alias method). Safe for concurrent use.
type sampler struct {
	keep  []float64 // chance that a slot stands for itself
	alias []int32   // what it stands for otherwise
}

// newSampler picks of n drinks, the k-th of which weighs k to the power of -exponent.
func newSampler(n int, exponent float64) *sampler {
	s := &sampler{keep: make([]float64, n), alias: make([]int32, n)}
	sum := 0.0
	for k := range s.keep {
		s.keep[k] = math.Pow(float64(k+1), -exponent)
		sum += s.keep[k]
	}
	var small, large []int32
	for k := range s.keep {
		s.keep[k] *= float64(n) / sum
		if s.keep[k] < 1 {
			small = append(small, int32(k))
		} else {
			large = append(large, int32(k))
		}
	}
	for len(small) > 0 && len(large) > 0 {
		less, more := small[len(small)-1], large[len(large)-1]
		small = small[:len(small)-1]
		s.alias[less] = more
		s.keep[more] -= 1 - s.keep[less]
		if s.keep[more] < 1 {
			large = large[:len(large)-1]
			small = append(small, more)
		}
	}
	for _, k := range append(small, large...) { // what rounding has left
		s.keep[k] = 1
	}
	return s
}

// pick returns the index of a drink.
func (s *sampler) pick(rnd *rand.Rand) int32 {
	k := int32(rnd.IntN(len(s.keep)))
	if rnd.Float64() < s.keep[k] {
		return k
	}
	return s.alias[k]
}
