package operator

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// ValidateGardenUpdate returns the mistakes of a changed Garden, including those of ValidateGarden. A Garden in deletion may
// only lose finalizers and change metadata, so an object that became invalid can still be deleted.
func ValidateGardenUpdate(garden, old *operatorv1alpha1.Garden, host Host) field.ErrorList {
	spec := field.NewPath("spec")
	if old.DeletionTimestamp != nil {
		return rules.Immutable(garden.Spec, old.Spec, spec)
	}
	errs := ValidateGarden(garden, host)
	runtime, oldRuntime := &garden.Spec.RuntimeCluster, &old.Spec.RuntimeCluster
	at := spec.Child("runtimeCluster")
	for name, lists := range map[string][2][]string{
		"nodes":    {runtime.Networking.Nodes, oldRuntime.Networking.Nodes},
		"pods":     {runtime.Networking.Pods, oldRuntime.Networking.Pods},
		"services": {runtime.Networking.Services, oldRuntime.Networking.Services},
	} {
		errs = append(errs, onlyAdded(lists[0], lists[1], at.Child("networking", name))...)
	}
	errs = append(errs, onlyAdded(runtime.Provider.Zones, oldRuntime.Provider.Zones, at.Child("provider", "zones"))...)
	virtual, oldVirtual := &garden.Spec.VirtualCluster, &old.Spec.VirtualCluster
	at = spec.Child("virtualCluster")
	errs = append(errs, onlyAdded(virtual.Networking.Services, oldVirtual.Networking.Services, at.Child("networking", "services"))...)
	errs = append(errs, rules.Immutable(virtual.Gardener.ClusterIdentity, oldVirtual.Gardener.ClusterIdentity, at.Child("gardener", "clusterIdentity"))...)
	if highlyAvailable(oldVirtual) && !highlyAvailable(virtual) {
		errs = append(errs, field.Forbidden(at.Child("controlPlane", "highAvailability"), "cannot be removed once it is set"))
	}
	errs = append(errs, validateEncryption(virtual, oldVirtual, at)...)
	first, err := FirstDomain(virtual.DNS)
	if before, oldErr := FirstDomain(oldVirtual.DNS); err == nil && oldErr == nil && first != before {
		errs = append(errs, field.Invalid(at.Child("dns"), first, "the first domain is "+before+" and cannot change"))
	}
	return append(errs, validateStep(virtual.Kubernetes.Version, oldVirtual.Kubernetes.Version, host, at.Child("kubernetes", "version"))...)
}

// ValidateGardenDeletion refuses a deletion that is not confirmed.
func ValidateGardenDeletion(garden *operatorv1alpha1.Garden) field.ErrorList {
	if garden.Annotations[constants.ConfirmationDeletion] == "true" {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("metadata", "annotations").Key(constants.ConfirmationDeletion),
		`must be "true" before the Garden can be deleted`)}
}

func highlyAvailable(virtual *operatorv1alpha1.VirtualCluster) bool {
	return virtual.ControlPlane != nil && virtual.ControlPlane.HighAvailability != nil
}

func onlyAdded(now, before []string, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for _, one := range before {
		if !slices.Contains(now, one) {
			errs = append(errs, field.Invalid(path, now, "must keep "+one+", since entries can only be added"))
		}
	}
	return errs
}

// validateStep refuses a downgrade, and an upgrade over a minor version. A host that cannot run the old version any more has
// already changed the version itself, so the Garden follows it.
func validateStep(now, before string, host Host, path *field.Path) field.ErrorList {
	if len(host.Versions) > 0 && !slices.Contains(host.Versions, before) {
		return nil
	}
	next, err := version.ParseSemantic(now)
	old, oldErr := version.ParseSemantic(before)
	if err != nil || oldErr != nil {
		return nil
	}
	switch {
	case next.LessThan(old):
		return field.ErrorList{field.Invalid(path, now, "must not be older than the current version "+before)}
	case next.Major() != old.Major() || next.Minor() > old.Minor()+1:
		return field.ErrorList{field.Invalid(path, now, "must not skip a minor version after "+before)}
	}
	return nil
}
