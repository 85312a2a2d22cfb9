// Package seedstatus writes conditions of Seeds. Several controllers own one condition each, so a write must change no
// other conditions.
package seedstatus

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// SetCondition writes the finding for one condition to the Seed if it differs from that of seed. It does not change the
// given object, which may come from a cache. A Seed that is gone is no error.
func SetCondition(ctx context.Context, c client.Client, seed *gardencorev1beta1.Seed, kind gardencorev1beta1.ConditionType, finding conditions.Finding, now time.Time) error {
	changed := seed.DeepCopy()
	changed.Status.Conditions = conditions.Set(seed.Status.Conditions, kind, finding, now)
	return Patch(ctx, c, changed, seed)
}

// Patch writes the differences between the status of seed and that of before. Conditions are merged by type: those that
// are equal in both keep their value in the garden.
func Patch(ctx context.Context, c client.Client, seed, before *gardencorev1beta1.Seed) error {
	if equality.Semantic.DeepEqual(seed.Status, before.Status) {
		return nil
	}
	if err := c.Status().Patch(ctx, seed, client.StrategicMergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("patch status of seed %q: %w", seed.Name, err)
	}
	return nil
}
