package etcd

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/testwait"
)

func TestLevel(t *testing.T) {
	for name, tc := range map[string]struct {
		taken      []int64
		room, want int64
	}{
		"one namespace gets everything":                             {[]int64{5}, 20, 25},
		"equal namespaces get the same":                             {[]int64{5, 5, 5, 5}, 20, 10},
		"a large namespace gets nothing":                            {[]int64{0, 60}, 20, 20},
		"all but the large namespace get the same":                  {[]int64{60, 0, 0, 0, 0}, 20, 5},
		"many namespaces that took much together get nothing":       {slices.Concat(slices.Repeat([]int64{6}, 10), []int64{0, 0, 0, 0}), 20, 5},
		"many small namespaces get no more than others":             {slices.Concat(slices.Repeat([]int64{1}, 60), []int64{0}), 20, 1},
		"namespaces of different sizes are filled up from below":    {[]int64{1, 4, 10}, 5, 5},
		"what one leaves is for those that have less than the rest": {[]int64{1, 4, 10}, 14, 9},
		"no namespace is known":                                     {nil, 20, 20},
		"no room is left":                                           {[]int64{3, 1, 2}, 0, 1},
	} {
		t.Run("APP-5 "+name, func(t *testing.T) {
			if got := level(tc.taken, tc.room); got != tc.want {
				t.Errorf("level = %d, want %d", got, tc.want)
			}
		})
	}
}

// FuzzLevel fills namespaces as long as their share allows, in any order. All that are below it must get it.
func FuzzLevel(f *testing.F) {
	f.Add([]byte{60, 0, 0, 0}, byte(20), uint16(3))
	f.Add([]byte{6, 6, 6, 6, 6, 6, 0}, byte(20), uint16(77))
	f.Fuzz(func(t *testing.T, bytes []byte, room byte, order uint16) {
		var taken []int64
		for _, n := range bytes[:min(len(bytes), 50)] {
			taken = append(taken, int64(n))
		}
		if len(taken) == 0 {
			return
		}
		first, left := level(taken, int64(room)), int64(room)
		for turn := range len(taken) {
			at := (turn*int(order|1) + int(order)) % len(taken)
			more := max(0, level(taken, left)-taken[at])
			taken[at], left = taken[at]+more, left-more
		}
		if left < 0 {
			t.Fatalf("%d more than there was room", -left)
		}
		if now := level(taken, left); now < first {
			t.Errorf("the share fell from %d to %d", first, now)
		}
	})
}

// attack writes to all namespaces in turn, as long as the etcd lets users write to one of them.
func attack(t *testing.T, s *Server, namespaces ...string) (last error) {
	t.Helper()
	for n := range 500 {
		refused := 0
		for _, namespace := range namespaces {
			if s.Usage().percent() >= lookShare {
				known(t, s)
			}
			if err := s.Full(namespace, big); err != nil {
				last = err
				refused++
				continue
			}
			if err := put(t.Context(), s.member.Load(), fmt.Sprintf("/registry/configmaps/%s/%03d", namespace, n), big); err != nil {
				t.Fatalf("put: %v", err)
			}
			s.member.Load().Backend().ForceCommit() // the usage is known after that
		}
		if refused == len(namespaces) {
			return last
		}
	}
	t.Fatal("nobody is refused")
	return nil
}

func known(t *testing.T, s *Server) {
	t.Helper()
	testwait.Until(t, "it knows what takes the room", func() error {
		s.survey.mu.Lock()
		defer s.survey.mu.Unlock()
		if s.survey.at.IsZero() && s.Usage().percent() >= lookShare { // less, if pages became free
			return errors.New("it has not looked")
		}
		return nil
	})
}

func TestShares(t *testing.T) {
	for name, attackers := range map[string][]string{
		"one namespace":   {"garden-0"},
		"two namespaces":  {"garden-0", "garden-1"},
		"five namespaces": {"garden-0", "garden-1", "garden-2", "garden-3", "garden-4"},
	} {
		t.Run("APP-5 whoever fills "+name+" keeps nobody else from writing", func(t *testing.T) {
			s := start(t, small(t))
			for _, namespace := range append(attackers, "garden-other") {
				if err := put(t.Context(), s.member.Load(), "/registry/namespaces/"+namespace, 100); err != nil {
					t.Fatal(err)
				}
			}
			last := attack(t, s, attackers...)
			if !strings.Contains(last.Error(), `each namespace may take`) || !strings.Contains(last.Error(), `what takes most in namespace "garden-`) {
				t.Errorf("its users are told %s", last)
			}
			if u := s.Usage(); u.full() {
				t.Errorf("the storage is full: %v", u)
			}
			if err := errors.Join(s.Full("garden-other", 2*big/int64(len(attackers))), s.Full("garden-new", 1), s.Full("", 1)); err != nil {
				t.Errorf("users elsewhere: %v", err)
			}
		})
	}
}

func TestShareAfterDeletion(t *testing.T) {
	s := start(t, small(t))
	for _, namespace := range []string{"garden-0", "garden-other"} {
		if err := put(t.Context(), s.member.Load(), "/registry/namespaces/"+namespace, 100); err != nil {
			t.Fatal(err)
		}
	}
	attack(t, s, "garden-0")
	t.Run("APP-5 a namespace has room again when something is deleted", func(t *testing.T) {
		remove(t, s.member.Load(), "/registry/configmaps/garden-0/", "/registry/configmaps/garden-0/020")
		s.survey.mu.Lock()
		s.survey.at = s.survey.at.Add(-surveyInterval)
		s.survey.mu.Unlock()
		testwait.Until(t, "room", func() error { return s.Full("garden-0", 1) })
	})
}

// What is admitted counts at once, since the next look may be a minute away.
func TestAdmittedBytesCount(t *testing.T) {
	now := Usage{InUse: 60, Quota: 100}
	s := &survey{at: time.Now(), inUse: 60, namespaces: []string{"a", "b", "c"}, bytes: map[string]int64{"/registry/configmaps/a": 60}, taken: map[string]int64{"a": 60}}
	for range 2 {
		if share, ok := s.admit("b", 5, now); !ok || share != 10 {
			t.Fatalf("APP-5 a namespace that has less than its share is refused: %t, %d", ok, share)
		}
		now.InUse += 5
	}
	if share, ok := s.admit("b", 5, now); ok || share != 10 {
		t.Errorf("APP-5 a namespace gets more than its share: %t, %d", ok, share)
	}
	if _, ok := s.admit("c", 10, now); !ok {
		t.Error("APP-5 the share of another namespace is gone")
	}
}
