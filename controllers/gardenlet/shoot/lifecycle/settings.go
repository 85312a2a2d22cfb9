package lifecycle

import (
	"cmp"
	"time"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Settings say how a gardenlet drives Shoots. Fields without a default are required.
type Settings struct {
	// SeedName is the seed whose shoots are acted on.
	SeedName string
	// Gardener is what is written into the status of Shoots.
	Gardener gardencorev1beta1.Gardener
	// Images of system components of shoots; empty ones are the public ones.
	Images flow.Images
	// DNSRecordTTL in seconds. Default: 120.
	DNSRecordTTL int64
	// ConcurrentSyncs is how many Shoots are driven at a time. Default: 20.
	ConcurrentSyncs int
	// SyncPeriod is how often Shoots are reconciled that nobody has changed. Default: one hour.
	SyncPeriod time.Duration
	// RetryDuration is how long errors are retried. Default: twelve hours.
	RetryDuration time.Duration
	// ProgressPeriod is the least time between two reports of progress. Default: 500ms.
	ProgressPeriod time.Duration
	// NoAuthorityRotation leaves certificate authorities as they are, whatever is asked for.
	NoAuthorityRotation bool
	// RespectIgnore lets users, and not only operators, have their Shoots left alone.
	RespectIgnore bool
}

// WithDefaults fills in what is not set.
func (s Settings) WithDefaults() Settings {
	s.DNSRecordTTL = cmp.Or(s.DNSRecordTTL, 120)
	s.ConcurrentSyncs = cmp.Or(s.ConcurrentSyncs, 20)
	s.SyncPeriod = cmp.Or(s.SyncPeriod, time.Hour)
	s.RetryDuration = cmp.Or(s.RetryDuration, 12*time.Hour)
	s.ProgressPeriod = cmp.Or(s.ProgressPeriod, 500*time.Millisecond)
	return s
}
