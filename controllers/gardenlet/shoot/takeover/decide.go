package takeover

import (
	"cmp"
	"fmt"
	"time"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Settings say when this seed takes a shoot without the help of the seed that the shoot is to leave.
type Settings struct {
	// ConcurrentSyncs is how many shoots are handled at a time.
	ConcurrentSyncs int
	// SyncPeriod is how often a shoot that moves here is looked at.
	SyncPeriod time.Duration
	// GracePeriod is how long a migration may take.
	GracePeriod time.Duration
	// Stale is how long the other seed must have reported nothing then.
	Stale time.Duration
}

// WithDefaults returns the settings with the public defaults for what is zero.
func (s Settings) WithDefaults() Settings {
	s.ConcurrentSyncs = max(s.ConcurrentSyncs, 1)
	s.SyncPeriod = cmp.Or(s.SyncPeriod, time.Minute)
	s.GracePeriod = cmp.Or(s.GracePeriod, 2*time.Hour)
	s.Stale = cmp.Or(s.Stale, 10*time.Minute)
	return s
}

// move is a shoot that is to come to this seed.
type move struct {
	shoot *gardencorev1beta1.Shoot
	// source has the shoot, nil if that Seed does not exist; here is this seed.
	source, here *gardencorev1beta1.Seed
	// silence is how long this gardenlet has seen nothing new of the operation of the other one.
	silence time.Duration
}

// reason says why the shoot is to be taken now; empty if it is not. An operator can order it. Otherwise the time must be over, and the
// gardenlet of the other seed must be dead: one that is alive and does not go on waits for something, or has failed before it stopped
// anything.
func (s Settings) reason(m move, now time.Time) string {
	if forced(m.shoot) {
		return fmt.Sprintf("the annotation %s orders it", constants.ShootForceRestore)
	}
	begin := m.shoot.Status.MigrationStartTime
	switch {
	case begin == nil || begin.Add(s.GracePeriod).After(now):
		return ""
	case m.silence < s.Stale, alive(m.source), m.splits():
		return ""
	}
	return fmt.Sprintf("the migration began more than %s ago, and the other seed has reported nothing for %s", s.GracePeriod, s.Stale)
}

// obstacle says why the shoot must not be taken, even if it is ordered; empty if it may.
func (m move) obstacle() string {
	switch {
	case m.here == nil:
		return "this seed does not exist"
	case alive(m.source) && m.splits():
		return "the other seed is alive, and its etcd could go on: not both seeds check owners (settings.ownerChecks), or those of that seed do not need a name server that answers"
	}
	return able(m.here)
}

// splits reports whether the etcd of the other seed may go on when this one restores its backups.
func (m move) splits() bool {
	return m.source != nil && !(helper.StopsForOthers(m.source) && helper.ChecksOwners(m.here))
}

func forced(shoot *gardencorev1beta1.Shoot) bool {
	return shoot.Annotations[constants.ShootForceRestore] == "true"
}

// alive reports whether the gardenlet of a seed works; nil is a seed that does not exist.
func alive(seed *gardencorev1beta1.Seed) bool {
	if seed == nil {
		return false
	}
	ready := conditions.Get(seed.Status.Conditions, gardencorev1beta1.SeedGardenletReady)
	return ready != nil && ready.Status == gardencorev1beta1.ConditionTrue
}

// able says why a seed cannot restore a shoot now; empty if it can.
func able(seed *gardencorev1beta1.Seed) string {
	buckets, last := conditions.Get(seed.Status.Conditions, gardencorev1beta1.SeedBackupBucketsReady), seed.Status.LastOperation
	switch {
	case seed.Spec.Backup == nil:
		return "this seed has no backups"
	case !alive(seed), last == nil, last.State != gardencorev1beta1.LastOperationStateSucceeded:
		return "this seed is not ready"
	case buckets != nil && buckets.Status == gardencorev1beta1.ConditionFalse: // a shoot comes with its backups
		return "the backup bucket of this seed is not ready"
	}
	return ""
}
