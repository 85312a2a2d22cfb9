package installation

import (
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// KindType is an extension kind of a provider type: what an extension controller is responsible for.
type KindType struct{ Kind, Type string }

// Landscape is the input for deciding which extension controllers a seed needs.
type Landscape struct {
	Seed          *gardencorev1beta1.Seed
	Registrations []gardencorev1beta1.ControllerRegistration
	Shoots        []gardencorev1beta1.Shoot        // of all seeds
	Buckets       []gardencorev1beta1.BackupBucket // of all seeds
	Entries       []gardencorev1beta1.BackupEntry  // of all seeds
	DNSTypes      []string                         // providers of the domains of the landscape
}

// Required returns the registrations that the seed needs, by name. A seed that is being deleted needs only those that
// still have objects to clean up.
func Required(l Landscape) map[string]*gardencorev1beta1.ControllerRegistration {
	wanted, shoots := l.wanted()
	required := map[string]*gardencorev1beta1.ControllerRegistration{}
	for i := range l.Registrations {
		registration := &l.Registrations[i]
		if selects(registration, l.Seed) && l.needs(registration, wanted, shoots) {
			required[registration.Name] = registration
		}
	}
	return required
}

func (l Landscape) needs(registration *gardencorev1beta1.ControllerRegistration, wanted map[KindType]bool, shoots int) bool {
	if registration.DeletionTimestamp == nil && l.Seed.DeletionTimestamp == nil {
		switch policy(registration) {
		case gardencorev1beta1.ControllerDeploymentPolicyAlways:
			return true
		case gardencorev1beta1.ControllerDeploymentPolicyAlwaysExceptNoShoots:
			return shoots > 0
		}
	}
	return slices.ContainsFunc(registration.Spec.Resources, func(resource gardencorev1beta1.ControllerResource) bool {
		return wanted[KindType{resource.Kind, resource.Type}] || (shoots > 0 && enabledForAll(resource))
	})
}

func enabledForAll(resource gardencorev1beta1.ControllerResource) bool {
	global := resource.GloballyEnabled != nil && *resource.GloballyEnabled
	return resource.Kind == kindExtension && (global || slices.Contains(resource.AutoEnable, gardencorev1beta1.ClusterTypeShoot))
}

func policy(registration *gardencorev1beta1.ControllerRegistration) gardencorev1beta1.ControllerDeploymentPolicy {
	if registration.Spec.Deployment == nil || registration.Spec.Deployment.Policy == nil {
		return gardencorev1beta1.ControllerDeploymentPolicyOnDemand
	}
	return *registration.Spec.Deployment.Policy
}

// selects reports whether the seed selector of the registration matches the seed. An invalid selector matches no seed.
func selects(registration *gardencorev1beta1.ControllerRegistration, seed *gardencorev1beta1.Seed) bool {
	if registration.Spec.Deployment == nil || registration.Spec.Deployment.SeedSelector == nil {
		return true
	}
	selector, err := metav1.LabelSelectorAsSelector(registration.Spec.Deployment.SeedSelector)
	return err == nil && selector.Matches(labels.Set(seed.Labels))
}
