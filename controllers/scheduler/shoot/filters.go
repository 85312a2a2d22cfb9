package shoot

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/scheduler/config"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// resourceShoots is the key of the number of shoots in the capacity of a seed.
const resourceShoots corev1.ResourceName = "shoots"

// Request is a shoot that needs a seed, with the other inputs for the decision.
type Request struct {
	Shoot   *gardencorev1beta1.Shoot
	Profile *gardencorev1beta1.CloudProfile
	// Hosted is the number of shoots by name of the seed.
	Hosted map[string]int
	// Strategy is SameRegion if it is empty.
	Strategy config.Strategy
}

// filter returns nil if the seed may host the shoot, or else the reason why not. Reasons of several seeds are grouped,
// so they must not contain the name of the seed.
type filter func(*Request, *gardencorev1beta1.Seed) error

// filters in the order of evaluation: decisions of operators first, volatile state last.
var filters = []filter{
	isUsable, matchesSelectors, hasProvider, toleratesTaints, hasZones, servesDNS, networksAreDisjoint, hasCapacity, isInRegion,
}

func isUsable(_ *Request, seed *gardencorev1beta1.Seed) error {
	if seed.DeletionTimestamp != nil {
		return fmt.Errorf("seed is being deleted")
	}
	if settings := seed.Spec.Settings; settings != nil && settings.Scheduling != nil && !settings.Scheduling.Visible {
		return fmt.Errorf("seed is not visible to the scheduler")
	}
	for _, kind := range []gardencorev1beta1.ConditionType{conditionBootstrapped, gardencorev1beta1.SeedGardenletReady, gardencorev1beta1.SeedBackupBucketsReady} {
		condition := conditions.Get(seed.Status.Conditions, kind)
		switch {
		case condition == nil && kind == gardencorev1beta1.SeedBackupBucketsReady && seed.Spec.Backup == nil:
		case condition == nil:
			return fmt.Errorf("condition %s is not reported", kind)
		case condition.Status != gardencorev1beta1.ConditionTrue:
			return fmt.Errorf("condition %s is %s", kind, condition.Status)
		}
	}
	return nil
}

// conditionBootstrapped says that the system components were installed into the seed.
const conditionBootstrapped gardencorev1beta1.ConditionType = "Bootstrapped"

func matchesSelectors(r *Request, seed *gardencorev1beta1.Seed) error {
	for _, selector := range r.selectors() {
		matcher, err := metav1.LabelSelectorAsSelector(&selector.LabelSelector)
		if err != nil {
			return fmt.Errorf("seed selector is invalid: %w", err)
		}
		if !matcher.Matches(labels.Set(seed.Labels)) {
			return fmt.Errorf("seed does not match the seed selector %q", matcher)
		}
	}
	return nil
}

// hasProvider requires the provider type of the shoot, unless the seed selector names other types.
func hasProvider(r *Request, seed *gardencorev1beta1.Seed) error {
	widened := false
	for _, selector := range r.selectors() {
		if len(selector.ProviderTypes) == 0 {
			continue
		}
		widened = true
		if !slices.Contains(selector.ProviderTypes, "*") && !slices.Contains(selector.ProviderTypes, seed.Spec.Provider.Type) {
			return fmt.Errorf("provider %q is not among those of the seed selector", seed.Spec.Provider.Type)
		}
	}
	if !widened && seed.Spec.Provider.Type != r.Shoot.Spec.Provider.Type {
		return fmt.Errorf("provider is %q", seed.Spec.Provider.Type)
	}
	return nil
}

func toleratesTaints(r *Request, seed *gardencorev1beta1.Seed) error {
	for _, taint := range seed.Spec.Taints {
		tolerated := slices.ContainsFunc(r.Shoot.Spec.Tolerations, func(toleration gardencorev1beta1.Toleration) bool {
			if toleration.Key != taint.Key {
				return false
			}
			return toleration.Value == nil || (taint.Value != nil && *toleration.Value == *taint.Value)
		})
		if !tolerated {
			return fmt.Errorf("taint %q is not tolerated", taint.Key)
		}
	}
	return nil
}

// hasZones requires three zones for a control plane that must survive the loss of a zone, and those that the shoot names.
func hasZones(r *Request, seed *gardencorev1beta1.Seed) error {
	plane, zones := r.Shoot.Spec.ControlPlane, seed.Spec.Provider.Zones
	if plane == nil {
		return nil
	}
	if plane.HighAvailability != nil && plane.HighAvailability.FailureTolerance.Type == gardencorev1beta1.FailureToleranceTypeZone && len(zones) < 3 {
		return fmt.Errorf("seed has %d zones instead of 3", len(zones))
	}
	for _, zone := range plane.Zones {
		if !slices.Contains(zones, zone) {
			return fmt.Errorf("seed has no zone %q", zone)
		}
	}
	return nil
}

func servesDNS(r *Request, seed *gardencorev1beta1.Seed) error {
	settings := seed.Spec.Settings
	if settings == nil || settings.ShootDNS == nil || settings.ShootDNS.Enabled {
		return nil
	}
	dns := r.Shoot.Spec.DNS
	if dns == nil {
		return nil
	}
	if dns.Domain != nil {
		return fmt.Errorf("seed serves no DNS for shoots")
	}
	for _, provider := range dns.Providers {
		if provider.Type == nil || *provider.Type != "unmanaged" {
			return fmt.Errorf("seed serves no DNS for shoots")
		}
	}
	return nil
}

func hasCapacity(r *Request, seed *gardencorev1beta1.Seed) error {
	allocatable, limited := seed.Status.Allocatable[resourceShoots]
	if limited && int64(r.Hosted[seed.Name]) >= allocatable.Value() {
		return fmt.Errorf("seed already hosts %d of %d shoots", r.Hosted[seed.Name], allocatable.Value())
	}
	return nil
}

// isInRegion implements the strategy SameRegion.
func isInRegion(r *Request, seed *gardencorev1beta1.Seed) error {
	if r.Strategy == config.MinimalDistance || r.anyRegion() {
		return nil
	}
	if seed.Spec.Provider.Region != r.Shoot.Spec.Region {
		return fmt.Errorf("region is %q", seed.Spec.Provider.Region)
	}
	return nil
}

// anyRegion reports whether the shoot is for testing. Such shoots may be in any region.
func (r *Request) anyRegion() bool {
	return r.Shoot.Spec.Purpose != nil && *r.Shoot.Spec.Purpose == gardencorev1beta1.ShootPurposeTesting
}

func (r *Request) selectors() []*gardencorev1beta1.SeedSelector {
	var selectors []*gardencorev1beta1.SeedSelector
	for _, selector := range []*gardencorev1beta1.SeedSelector{r.Profile.Spec.SeedSelector, r.Shoot.Spec.SeedSelector} {
		if selector != nil {
			selectors = append(selectors, selector)
		}
	}
	return selectors
}
