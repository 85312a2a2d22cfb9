package core

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// ValidateSeed validates a new Seed.
func ValidateSeed(seed *core.Seed) field.ErrorList {
	errs := validateObjectMeta(&seed.ObjectMeta, false, validateName)
	errs = append(errs, ValidateSeedSpec(&seed.Spec, field.NewPath("spec"))...)
	if seed.Spec.Ingress == nil && seed.Spec.DNS.IngressDomain == nil {
		errs = append(errs, field.Required(field.NewPath("spec", "ingress"), "must name the ingress domain"))
	}
	return errs
}

// ValidateSeedTemplate validates the template for the Seed of a ManagedSeed.
func ValidateSeedTemplate(template *core.SeedTemplate, path *field.Path) field.ErrorList {
	return ValidateSeedSpec(&template.Spec, path.Child("spec"))
}

// ValidateSeedSpec validates the specification of a Seed, which may be incomplete in a template.
func ValidateSeedSpec(spec *core.SeedSpec, path *field.Path) field.ErrorList {
	errs := required(spec.Provider.Type, path.Child("provider", "type"), "must name a provider")
	errs = append(errs, required(spec.Provider.Region, path.Child("provider", "region"), "must name a region")...)
	errs = append(errs, uniqueText(spec.Provider.Zones, path.Child("provider", "zones"))...)
	errs = append(errs, validateSeedNetworks(&spec.Networks, path.Child("networks"))...)
	errs = append(errs, validateBackup(spec.Backup, spec.Provider.Type, path.Child("backup"))...)
	errs = append(errs, validateTaints(spec.Taints, path.Child("taints"))...)
	errs = append(errs, validateSeedDNS(spec, path)...)
	errs = append(errs, validateSeedSettings(spec, path.Child("settings"))...)
	if spec.SecretRef != nil {
		errs = append(errs, validateSecretReference(*spec.SecretRef, path.Child("secretRef"))...)
	}
	errs = append(errs, validateAccessRestrictions(spec.AccessRestrictions, func(r core.AccessRestriction) string { return r.Name }, path.Child("accessRestrictions"))...)
	if spec.Volume != nil {
		errs = append(errs, notNegativeQuantities(path.Child("volume"), namedQuantity{"minimumSize", spec.Volume.MinimumSize})...)
		for i, provider := range spec.Volume.Providers {
			at := path.Child("volume", "providers").Index(i)
			errs = append(errs, required(provider.Purpose, at.Child("purpose"), "must not be empty")...)
			errs = append(errs, required(provider.Name, at.Child("name"), "must not be empty")...)
		}
		errs = append(errs, unique(spec.Volume.Providers, path.Child("volume", "providers"),
			func(p core.SeedVolumeProvider) string { return p.Purpose }, "purpose")...)
	}
	errs = append(errs, validateExtensions(spec.Extensions, path.Child("extensions"))...)
	return append(errs, validateResources(spec.Resources, path.Child("resources"))...)
}

func validateBackup(backup *core.Backup, provider string, path *field.Path) field.ErrorList {
	if backup == nil {
		return nil
	}
	errs := required(backup.Provider, path.Child("provider"), "must name a provider")
	if backup.Provider != provider && !isSet(backup.Region) {
		errs = append(errs, field.Required(path.Child("region"), "must be set where the provider differs from the seed's"))
	}
	if backup.CredentialsRef != nil {
		return append(errs, validateCredentialsReference(*backup.CredentialsRef, path.Child("credentialsRef"), false)...)
	}
	return append(errs, validateSecretReference(backup.SecretRef, path.Child("secretRef"))...)
}

// ValidateSeedUpdate validates a change of metadata and specification.
func ValidateSeedUpdate(seed, old *core.Seed) field.ErrorList {
	path := field.NewPath("spec")
	spec, before := &seed.Spec, &old.Spec
	errs := validateObjectMetaUpdate(&seed.ObjectMeta, &old.ObjectMeta)
	networks := path.Child("networks")
	errs = append(errs, rules.Immutable(spec.Networks.Pods, before.Networks.Pods, networks.Child("pods"))...)
	errs = append(errs, rules.Immutable(spec.Networks.Services, before.Networks.Services, networks.Child("services"))...)
	errs = append(errs, immutableOnceSet(spec.Networks.Nodes, before.Networks.Nodes, networks.Child("nodes"))...)
	errs = append(errs, rules.Immutable(spec.Networks.IPFamilies, before.Networks.IPFamilies, networks.Child("ipFamilies"))...)
	if spec.Ingress != nil && before.Ingress != nil {
		errs = append(errs, rules.Immutable(spec.Ingress.Domain, before.Ingress.Domain, path.Child("ingress", "domain"))...)
	}
	if len(before.DNS.Defaults) > 0 && len(spec.DNS.Defaults) == 0 {
		errs = append(errs, field.Forbidden(path.Child("dns", "defaults"), "must not be emptied"))
	}
	switch {
	case before.Backup != nil && spec.Backup == nil:
		errs = append(errs, field.Forbidden(path.Child("backup"), "must not be unset"))
	case before.Backup != nil:
		errs = append(errs, rules.Immutable(spec.Backup.Provider, before.Backup.Provider, path.Child("backup", "provider"))...)
		errs = append(errs, rules.Immutable(spec.Backup.Region, before.Backup.Region, path.Child("backup", "region"))...)
	}
	return append(errs, ValidateSeed(seed)...)
}

// ValidateSeedStatusUpdate validates a change of the status.
func ValidateSeedStatusUpdate(seed, old *core.Seed) field.ErrorList {
	errs := validateObjectMetaUpdate(&seed.ObjectMeta, &old.ObjectMeta)
	errs = append(errs, validateLastOperation(seed.Status.LastOperation, field.NewPath("status", "lastOperation"))...)
	return append(errs, immutableOnceSet(seed.Status.ClusterIdentity, old.Status.ClusterIdentity, field.NewPath("status", "clusterIdentity"))...)
}
