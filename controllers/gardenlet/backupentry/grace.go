package backupentry

import (
	"slices"
	"strconv"
	"time"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Grace is how long backups of deleted shoots are kept.
type Grace struct {
	Period time.Duration
	// Purposes limits the grace period to shoots of these purposes; empty means all.
	Purposes []gardencorev1beta1.ShootPurpose
}

// Left returns how long an entry that is being deleted must still be kept; zero or less means no longer. An annotation
// of the entry ends the grace period early.
func (g Grace) Left(entry *gardencorev1beta1.BackupEntry, now time.Time) time.Duration {
	if forced, err := strconv.ParseBool(entry.Annotations[constants.BackupEntryForceDeletion]); err == nil && forced {
		return 0
	}
	purpose := gardencorev1beta1.ShootPurpose(entry.Annotations[constants.ShootPurpose])
	if len(g.Purposes) > 0 && !slices.Contains(g.Purposes, purpose) {
		return 0
	}
	return entry.DeletionTimestamp.Add(g.Period).Sub(now)
}
