package shootquotavalidator

import (
	"fmt"
	"time"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// applyLifetime keeps the annotation that says when the shoot ends. Its owner may put off the end to as late as it would
// be for a shoot created now. days is nil for shoots that may live for ever.
func applyLifetime(shoot *core.Shoot, days *int32, now time.Time) error {
	const key = constants.ShootExpirationTimestamp
	text, present := shoot.Annotations[key]
	if days == nil {
		delete(shoot.Annotations, key)
		return nil
	}
	life := time.Duration(*days) * 24 * time.Hour
	if !present {
		created := shoot.CreationTimestamp.Time
		if created.IsZero() {
			created = now
		}
		if shoot.Annotations == nil {
			shoot.Annotations = map[string]string{}
		}
		shoot.Annotations[key] = created.Add(life).UTC().Format(time.RFC3339)
		return nil
	}
	end, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return fmt.Errorf("annotation %s: %w", key, err)
	}
	if latest := now.Add(life); end.After(latest) {
		return fmt.Errorf("annotation %s: %s is too late, at most %d days from now are allowed", key, text, *days)
	}
	return nil
}
