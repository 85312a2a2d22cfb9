package takeover

import (
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// silences knows since when the operations of shoots are as they are. The time in a status does not tell that: nobody reports while a machine
// is suspended or a landscape is down, and both gardenlets wake up together.
type silences struct {
	mu    sync.Mutex
	since map[types.NamespacedName]sighting
}

// sighting is a state of an operation, and when it was seen first.
type sighting struct {
	reported, seen time.Time
}

// of is how long nothing new has been reported about a shoot, and its seed has looked dead. A seed that was suspended together with this
// one looks dead for a moment.
func (s *silences) of(shoot *gardencorev1beta1.Shoot, source *gardencorev1beta1.Seed, now time.Time) time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	key, reported := client.ObjectKeyFromObject(shoot), time.Time{}
	if last := shoot.Status.LastOperation; last != nil {
		reported = last.LastUpdateTime.Time
	}
	before, known := s.since[key]
	if !known || !before.reported.Equal(reported) || alive(source) {
		before = sighting{reported: reported, seen: now}
		if s.since == nil {
			s.since = map[types.NamespacedName]sighting{}
		}
		s.since[key] = before
	}
	return now.Sub(before.seen)
}

// forget drops what is known of a shoot.
func (s *silences) forget(shoot types.NamespacedName) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.since, shoot)
}
