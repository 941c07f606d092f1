package event

const (
	// maxShapes is how many shapes are kept: enough for the few producers of
	// one partition, and few enough to be tried one after another.
	maxShapes = 4
	// learnEvery is how many accepted records of no known shape go by from one
	// attempt to learn to the next, once there are maxShapes or the last attempt
	// found nothing new. It doubles up to learnSeldom with every attempt, until
	// a new shape proves to be of use.
	learnEvery  = 16
	learnSeldom = 256
	// After patience records in a row of no known shape, only one in retryEvery
	// is compared with the shapes, until one fits again.
	patience   = 16
	retryEvery = 16
)

// shapes are the shapes of the records lately accepted. Records come from a few
// producers, each with its own shape, so a record nearly always has one of them
// and takes a fraction of the strict decoder's time. Where records differ all
// the time, the constants keep what is wasted small.
type shapes struct {
	known []*shape // the one last used first
	spare *shape   // to learn into
	wait  int      // accepted records until the next attempt to learn
	pause int      // what wait will be after it
	// streak counts the records since one had a known shape, misses all those
	// that had none.
	streak, misses int
}

// matchKnown reads a record's value as one of a known shape, and reports false unless
// the strict decoder would accept it and find the same in it.
func (d *Decoder) matchKnown(s *shapes, r *Record) bool {
	if s.streak < patience || s.streak%retryEvery == 0 {
		for i, shape := range s.known {
			if d.match(shape, r) {
				s.use(i)
				return true
			}
		}
	}
	s.streak++
	s.misses++
	return false
}

// use notes that a record had the shape with the given index.
func (s *shapes) use(index int) {
	if index > 0 {
		s.promote(index)
	}
	s.streak = 0
	if used := s.known[0]; !used.proven {
		used.proven = true
		s.pause = learnEvery
	}
}

// promote moves a shape to the front.
func (s *shapes) promote(index int) {
	used := s.known[index]
	copy(s.known[1:index+1], s.known[:index])
	s.known[0] = used
}

// learn adds the shape of the document in value, which the strict decoder has
// accepted and which has none of the known ones, or has a value in it that
// match leaves to the strict decoder.
func (s *shapes) learn(plan *node, value []byte) {
	if s.wait > 0 {
		s.wait--
		return
	}
	s.pause = max(s.pause, learnEvery)
	s.wait = s.pause - 1
	s.pause = min(2*s.pause, learnSeldom)
	if s.spare == nil {
		s.spare = new(shape)
	}
	if !s.spare.learn(plan, value) {
		return
	}
	for _, known := range s.known {
		if known.equal(s.spare) {
			return
		}
	}
	if len(s.known) < maxShapes {
		s.known = append(s.known, s.spare)
		s.spare = nil
		// The next record may be another producer's.
		s.wait, s.pause = 0, learnEvery
	} else {
		last := len(s.known) - 1
		s.known[last], s.spare = s.spare, s.known[last]
	}
	s.promote(len(s.known) - 1)
	// The next record is compared with it, however long the streak.
	s.streak = min(s.streak, patience)
}
