package etcd

import (
	"maps"
	"math"
	"slices"
)

// admit reports whether a namespace may take more bytes, and counts them until the next look. From warnShare on it may do so up to
// its share, which is returned. Nothing has a share before the first look.
func (s *survey) admit(namespace string, more int64, now Usage) (share int64, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	share = math.MaxInt64
	if now.percent() >= warnShare && !s.at.IsZero() {
		share = level(s.all(), s.left(now))
	}
	if s.taken[namespace]+s.admitted[namespace]+more > share {
		return share, false
	}
	if s.admitted == nil {
		s.admitted = map[string]int64{}
	}
	s.admitted[namespace] += max(more, 0)
	return share, true
}

// all is what each namespace has taken.
func (s *survey) all() []int64 {
	var taken []int64
	for _, namespace := range s.namespaces {
		taken = append(taken, s.taken[namespace]+s.admitted[namespace])
	}
	return taken
}

// left is how many bytes of content have room before the etcd is full for users. Content takes more room than it has bytes: for
// pages, and for its history.
func (s *survey) left(now Usage) int64 {
	var content int64
	for _, bytes := range s.bytes {
		content += bytes
	}
	room := now.Quota*fullShare/100 - now.InUse
	return int64(float64(room) * min(1, float64(content)/float64(max(s.inUse, 1))))
}

// counted is a copy of what was admitted since the last look began.
func (s *survey) counted() map[string]int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.admitted)
}

// level is how much each namespace may take if those that have taken least get the room that is left, like water that finds its level.
// Those that are above it get nothing, so whoever spreads content over many namespaces cannot take the room of others.
func level(taken []int64, room int64) int64 {
	taken = slices.Sorted(slices.Values(taken))
	sum := room
	for n, next := range taken {
		if n > 0 && sum/int64(n) <= next {
			return sum / int64(n)
		}
		sum += next
	}
	return sum / int64(max(len(taken), 1))
}
