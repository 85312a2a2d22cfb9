package lifecycle

import (
	"cmp"
	"time"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Settings configure the lifecycle controller. Fields without a default are required.
type Settings struct {
	// SeedName is the seed whose shoots are handled.
	SeedName string
	// Gardener is written into the status of Shoots.
	Gardener gardencorev1beta1.Gardener
	// ConcurrentSyncs is how many Shoots are handled at a time. Default: 20.
	ConcurrentSyncs int
	// SyncPeriod is how often unchanged Shoots are reconciled. Default: one hour.
	SyncPeriod time.Duration
	// RetryDuration is how long errors are retried. Default: twelve hours.
	RetryDuration time.Duration
	// ProgressPeriod is the minimum time between two progress reports. Default: 500ms.
	ProgressPeriod time.Duration
	// NoAuthorityRotation disables the rotation of certificate authorities.
	NoAuthorityRotation bool
	// RespectIgnore allows users, and not only operators, to make the gardenlet ignore their Shoots.
	RespectIgnore bool
}

// WithDefaults sets empty fields to their defaults.
func (s Settings) WithDefaults() Settings {
	s.ConcurrentSyncs = cmp.Or(s.ConcurrentSyncs, 20)
	s.SyncPeriod = cmp.Or(s.SyncPeriod, time.Hour)
	s.RetryDuration = cmp.Or(s.RetryDuration, 12*time.Hour)
	s.ProgressPeriod = cmp.Or(s.ProgressPeriod, 500*time.Millisecond)
	return s
}
