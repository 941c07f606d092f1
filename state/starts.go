package state

import (
	"github.com/google/btree"

	"windowed/window"
)

// starts is an ordered set of window starts.
type starts struct {
	tree *btree.BTreeG[int64]
	size window.Size
}

func newStarts(size window.Size) *starts {
	return &starts{tree: btree.NewG(btreeDegree, func(a, b int64) bool { return a < b }), size: size}
}

func (s *starts) set(start int64, in bool) {
	if in {
		s.tree.ReplaceOrInsert(start)
	} else {
		s.tree.Delete(start)
	}
}

// through appends the starts of the windows with end <= end to dst, ascending, at most
// limit of them.
func (s *starts) through(dst []int64, end int64, limit int) []int64 {
	s.tree.Ascend(func(start int64) bool {
		if len(dst) >= limit || s.size.End(start) > end {
			return false
		}
		dst = append(dst, start)
		return true
	})
	return dst
}

// AnyEnd implements watermark.OpenWindows.
func (s *starts) AnyEnd(after, through int64) bool {
	from := after
	if from != window.None {
		from = after - int64(s.size)
	}
	found := false
	s.tree.AscendGreaterOrEqual(from, func(start int64) bool {
		if s.size.End(start) <= after {
			return true
		}
		found = s.size.End(start) <= through
		return false
	})
	return found
}

// NewestEnd implements watermark.OpenWindows.
func (s *starts) NewestEnd() (int64, bool) {
	start, ok := s.tree.Max()
	return s.size.End(start), ok
}
