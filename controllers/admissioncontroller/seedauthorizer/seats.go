package seedauthorizer

import "sync"

// seats are what refusals wait in. Each seed has some of its own, so that a gardenlet out of control takes none from others. The zero
// value is ready for use, from many goroutines.
type seats struct {
	mu    sync.Mutex
	taken map[string]int // by seed
}

// take takes a seat of a seed. Without a free one it returns false. Otherwise the caller has to call leave once.
func (s *seats) take(seed string) (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[seed] >= waiting {
		return nil, false
	}
	if s.taken == nil {
		s.taken = map[string]int{}
	}
	s.taken[seed]++
	return func() { s.leave(seed) }, true
}

func (s *seats) leave(seed string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken[seed]--; s.taken[seed] == 0 {
		delete(s.taken, seed)
	}
}
