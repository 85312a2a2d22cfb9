// Package backupbuckets maintains the condition BackupBucketsReady of Seeds. It reports whether the backup buckets of
// the seed work.
package backupbuckets

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	reasonAvailable = "BackupBucketsAvailable"
	reasonError     = "BackupBucketsError"
	reasonGone      = "BackupBucketsGone"
)

// Check returns the finding for the buckets of a seed, nil if the seed has no backup configured and therefore no such
// condition.
func Check(seed *gardencorev1beta1.Seed, buckets []gardencorev1beta1.BackupBucket) *conditions.Finding {
	var failed []string
	own := 0
	for _, bucket := range buckets {
		if bucket.Spec.SeedName == nil || *bucket.Spec.SeedName != seed.Name {
			continue
		}
		own++
		if bucket.Status.LastError != nil {
			failed = append(failed, fmt.Sprintf("%s: %s", bucket.Name, bucket.Status.LastError.Description))
		}
	}
	var finding conditions.Finding
	switch {
	case len(failed) > 0:
		slices.Sort(failed)
		finding = conditions.False(reasonError, "The following backup buckets have errors: "+strings.Join(failed, "; "))
	case own > 0:
		finding = conditions.True(reasonAvailable, "Backup buckets are available.")
	case seed.Spec.Backup != nil:
		finding = conditions.Unknown(reasonGone, "There is no backup bucket for the seed.")
	default:
		return nil
	}
	return &finding
}
