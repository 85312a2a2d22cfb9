package core

import (
	"net/url"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// ValidateShootUpdate validates a change of metadata and specification.
func ValidateShootUpdate(shoot, old *core.Shoot) field.ErrorList {
	errs := validateObjectMetaUpdate(&shoot.ObjectMeta, &old.ObjectMeta)
	errs = append(errs, validateForceDeletion(shoot, old)...)
	path := field.NewPath("spec")
	if shoot.DeletionTimestamp != nil {
		if !apiequality.Semantic.DeepEqual(shoot.Spec, old.Spec) {
			errs = append(errs, field.Forbidden(path, "must not be changed while the cluster is being deleted"))
		}
		return errs
	}
	errs = append(errs, validateShootSpecUpdate(&shoot.Spec, &old.Spec, path)...)
	errs = append(errs, validateMigration(shoot, old, path)...)
	errs = append(errs, validateHibernationUpdate(shoot, old, path)...)
	errs = append(errs, validateEncryptionUpdate(shoot, old, path)...)
	errs = append(errs, ValidateShootSpec(&shoot.Spec, shoot.Namespace, path)...)
	return append(errs, validateOperations(shoot, old, field.NewPath("metadata", "annotations"))...)
}

func validateShootSpecUpdate(spec, old *core.ShootSpec, path *field.Path) field.ErrorList {
	errs := rules.Immutable(spec.Region, old.Region, path.Child("region"))
	errs = append(errs, rules.Immutable(spec.Provider.Type, old.Provider.Type, path.Child("provider", "type"))...)
	errs = append(errs, immutableOnceSet(spec.SchedulerName, old.SchedulerName, path.Child("schedulerName"))...)
	errs = append(errs, immutableOnceSet(spec.ExposureClassName, old.ExposureClassName, path.Child("exposureClassName"))...)
	errs = append(errs, validateBindingUpdate(spec, old, path)...)
	errs = append(errs, validateDomainUpdate(spec.DNS, old.DNS, path.Child("dns"))...)
	errs = append(errs, validateNetworkingUpdate(spec.Networking, old.Networking, path.Child("networking"))...)
	errs = append(errs, validateVersionUpdate(spec.Kubernetes.Version, old.Kubernetes.Version, path.Child("kubernetes", "version"))...)
	errs = append(errs, validateFailureToleranceUpdate(spec, old, path.Child("controlPlane", "highAvailability", "failureTolerance", "type"))...)
	errs = append(errs, validatePrimaryProviderUpdate(spec.DNS, old, path.Child("dns", "providers"))...)
	errs = append(errs, validateWorkersUpdate(spec.Provider.Workers, old.Provider.Workers, path.Child("provider", "workers"))...)
	if (len(spec.Provider.Workers) == 0) != (len(old.Provider.Workers) == 0) {
		errs = append(errs, field.Forbidden(path.Child("provider", "workers"), "a cluster cannot get its first or lose its last worker pool"))
	}
	if manager, before := spec.Kubernetes.KubeControllerManager, old.Kubernetes.KubeControllerManager; manager != nil && before != nil {
		errs = append(errs, immutableOnceSet(manager.NodeCIDRMaskSize, before.NodeCIDRMaskSize,
			path.Child("kubernetes", "kubeControllerManager", "nodeCIDRMaskSize"))...)
		errs = append(errs, immutableOnceSet(manager.NodeCIDRMaskSizeIPv6, before.NodeCIDRMaskSizeIPv6,
			path.Child("kubernetes", "kubeControllerManager", "nodeCIDRMaskSizeIPv6"))...)
	}
	return errs
}

// validateBindingUpdate reports a change of the binding, unless a CredentialsBinding replaces a SecretBinding.
func validateBindingUpdate(spec, old *core.ShootSpec, path *field.Path) field.ErrorList {
	if isSet(old.CredentialsBindingName) && !isSet(spec.CredentialsBindingName) {
		return field.ErrorList{field.Forbidden(path.Child("credentialsBindingName"), "must not be unset")}
	}
	if isSet(spec.CredentialsBindingName) {
		return nil
	}
	return immutableOnceSet(spec.SecretBindingName, old.SecretBindingName, path.Child("secretBindingName"))
}

func validateDomainUpdate(dns, old *core.DNS, path *field.Path) field.ErrorList {
	if old == nil || old.Domain == nil {
		return nil
	}
	var domain *string
	if dns != nil {
		domain = dns.Domain
	}
	return rules.Immutable(domain, old.Domain, path.Child("domain"))
}

func validateFailureToleranceUpdate(spec, old *core.ShootSpec, path *field.Path) field.ErrorList {
	tolerance := func(s *core.ShootSpec) core.FailureToleranceType {
		if s.ControlPlane == nil || s.ControlPlane.HighAvailability == nil {
			return ""
		}
		return s.ControlPlane.HighAvailability.FailureTolerance.Type
	}
	before, after := tolerance(old), tolerance(spec)
	switch {
	case old.SeedName == nil || before == after:
		return nil
	case before != "":
		return rules.Immutable(after, before, path)
	case spec.Hibernation != nil && spec.Hibernation.Enabled != nil && *spec.Hibernation.Enabled:
		return field.ErrorList{field.Forbidden(path, "must not be set while the cluster is hibernated")}
	}
	return nil
}

// ValidateShootStatusUpdate validates a change of the status.
func ValidateShootStatusUpdate(shoot, old *core.Shoot) field.ErrorList {
	path := field.NewPath("status")
	status, before := &shoot.Status, &old.Status
	errs := validateObjectMetaUpdate(&shoot.ObjectMeta, &old.ObjectMeta)
	if before.UID != "" {
		errs = append(errs, rules.Immutable(status.UID, before.UID, path.Child("uid"))...)
	}
	if before.TechnicalID != "" {
		errs = append(errs, rules.Immutable(status.TechnicalID, before.TechnicalID, path.Child("technicalID"))...)
	}
	errs = append(errs, immutableOnceSet(status.ClusterIdentity, before.ClusterIdentity, path.Child("clusterIdentity"))...)
	errs = append(errs, validateLastOperation(status.LastOperation, path.Child("lastOperation"))...)
	return append(errs, validateAdvertisedAddresses(status.AdvertisedAddresses, path.Child("advertisedAddresses"))...)
}

func validateAdvertisedAddresses(addresses []core.ShootAdvertisedAddress, path *field.Path) field.ErrorList {
	errs := unique(addresses, path, func(a core.ShootAdvertisedAddress) string { return a.Name }, "name")
	for i, address := range addresses {
		errs = append(errs, required(address.Name, path.Index(i).Child("name"), "must not be empty")...)
		errs = append(errs, validateHTTPS(address.URL, path.Index(i).Child("url"))...)
	}
	return errs
}

// validateHTTPS reports URLs that are not https, or have a user, query or fragment.
func validateHTTPS(text string, path *field.Path) field.ErrorList {
	parsed, err := url.Parse(text)
	if err != nil || parsed.Scheme != "https" || parsed.Host == "" || parsed.User != nil || parsed.RawQuery != "" || parsed.Fragment != "" {
		return field.ErrorList{field.Invalid(path, text, "must be an https URL without user, query and fragment")}
	}
	return nil
}
