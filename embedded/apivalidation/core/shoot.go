package core

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	corehelper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// ValidateShoot validates a new Shoot.
func ValidateShoot(shoot *core.Shoot) field.ErrorList {
	errs := validateObjectMeta(&shoot.ObjectMeta, true, validateName)
	errs = append(errs, validateCreationFinalizers(shoot.Finalizers)...)
	errs = append(errs, ValidateShootSpec(&shoot.Spec, shoot.Namespace, field.NewPath("spec"))...)
	errs = append(errs, validateForceDeletion(shoot, nil)...)
	return append(errs, validateOperations(shoot, nil, field.NewPath("metadata", "annotations"))...)
}

// ValidateShootTemplate validates the template for the Shoots of a ManagedSeedSet.
func ValidateShootTemplate(template *core.ShootTemplate, namespace string, path *field.Path) field.ErrorList {
	return ValidateShootSpec(&template.Spec, namespace, path.Child("spec"))
}

// ValidateShootSpec validates the specification of a Shoot in a namespace.
func ValidateShootSpec(spec *core.ShootSpec, namespace string, path *field.Path) field.ErrorList {
	workerless := len(spec.Provider.Workers) == 0
	errs := validateCloudProfileReference(spec, path)
	errs = append(errs, required(spec.Region, path.Child("region"), "must name a region of the cloud profile")...)
	errs = append(errs, validatePurpose(spec.Purpose, namespace, path.Child("purpose"))...)
	errs = append(errs, validateCredentialsBinding(spec, workerless, path)...)
	errs = append(errs, validateDNS(spec.DNS, path.Child("dns"))...)
	errs = append(errs, validateExtensions(spec.Extensions, path.Child("extensions"))...)
	errs = append(errs, validateResources(spec.Resources, path.Child("resources"))...)
	errs = append(errs, validateHibernation(spec.Hibernation, path.Child("hibernation"))...)
	errs = append(errs, validateMaintenance(spec.Maintenance, path.Child("maintenance"))...)
	errs = append(errs, validateMonitoring(spec.Monitoring, path.Child("monitoring"))...)
	errs = append(errs, validateNetworking(spec.Networking, workerless, path.Child("networking"))...)
	errs = append(errs, validateProvider(&spec.Provider, path.Child("provider"))...)
	errs = append(errs, validateKubernetes(spec, path)...)
	errs = append(errs, validateSystemComponents(spec.SystemComponents, path.Child("systemComponents"))...)
	errs = append(errs, validateControlPlane(spec.ControlPlane, path.Child("controlPlane"))...)
	errs = append(errs, validateEncryptionKeyLife(spec, path)...)
	errs = append(errs, validateNodeAddresses(spec, path)...)
	errs = append(errs, validateAccessRestrictions(spec.AccessRestrictions,
		func(r core.AccessRestrictionWithOptions) string { return r.Name }, path.Child("accessRestrictions"))...)
	errs = append(errs, validateAddons(spec, path.Child("addons"))...)
	errs = append(errs, validateSeedSelector(spec.SeedSelector, path.Child("seedSelector"))...)
	errs = append(errs, validateTolerations(spec.Tolerations, path.Child("tolerations"))...)
	if workerless {
		errs = append(errs, validateWorkerless(spec, path)...)
	}
	return errs
}

// validateCreationFinalizers reports finalizers that only Gardener may set.
func validateCreationFinalizers(finalizers []string) field.ErrorList {
	var errs field.ErrorList
	for i, finalizer := range finalizers {
		if finalizer == constants.GardenerName || finalizer == constants.ReferenceProtectionFinalizerName {
			errs = append(errs, field.Forbidden(field.NewPath("metadata", "finalizers").Index(i), "must not be set by users"))
		}
	}
	return errs
}

func validateCloudProfileReference(spec *core.ShootSpec, path *field.Path) field.ErrorList {
	reference := corehelper.CloudProfileReference(spec)
	if reference == nil {
		return field.ErrorList{field.Required(path.Child("cloudProfile", "name"), "must name a cloud profile")}
	}
	path = path.Child("cloudProfile")
	errs := oneOf(reference.Kind, path.Child("kind"), corehelper.KindCloudProfile, corehelper.KindNamespacedCloudProfile)
	return append(errs, required(reference.Name, path.Child("name"), "must name a cloud profile")...)
}

func validatePurpose(purpose *core.ShootPurpose, namespace string, path *field.Path) field.ErrorList {
	if purpose == nil {
		return nil
	}
	if *purpose == core.ShootPurposeInfrastructure && namespace != constants.GardenNamespace {
		return field.ErrorList{field.Forbidden(path, "infrastructure is for the namespace garden")}
	}
	return oneOf(*purpose, path, core.ShootPurposeEvaluation, core.ShootPurposeTesting, core.ShootPurposeDevelopment,
		core.ShootPurposeProduction, core.ShootPurposeInfrastructure)
}

func validateCredentialsBinding(spec *core.ShootSpec, workerless bool, path *field.Path) field.ErrorList {
	old, binding := path.Child("secretBindingName"), path.Child("credentialsBindingName")
	switch hasOld, hasNew := isSet(spec.SecretBindingName), isSet(spec.CredentialsBindingName); {
	case hasOld && hasNew:
		return field.ErrorList{field.Forbidden(old, "must not be set together with credentialsBindingName")}
	case workerless && hasOld:
		return field.ErrorList{field.Forbidden(old, "must not be set for a cluster without workers")}
	case workerless && hasNew:
		return field.ErrorList{field.Forbidden(binding, "must not be set for a cluster without workers")}
	case !workerless && !hasOld && !hasNew:
		return field.ErrorList{field.Required(binding, "must name a binding with infrastructure credentials")}
	}
	return nil
}

func validateExtensions(extensions []core.Extension, path *field.Path) field.ErrorList {
	errs := unique(extensions, path, func(e core.Extension) string { return e.Type }, "type")
	for i, extension := range extensions {
		errs = append(errs, required(extension.Type, path.Index(i).Child("type"), "must name an extension")...)
	}
	return errs
}

func validateResources(resources []core.NamedResourceReference, path *field.Path) field.ErrorList {
	errs := unique(resources, path, func(r core.NamedResourceReference) string { return r.Name }, "name")
	errs = append(errs, unique(resources, path, func(r core.NamedResourceReference) string {
		return r.ResourceRef.APIVersion + " " + r.ResourceRef.Kind + " " + r.ResourceRef.Name
	}, "resourceRef")...)
	for i, resource := range resources {
		at := path.Index(i)
		errs = append(errs, required(resource.Name, at.Child("name"), "must not be empty")...)
		errs = append(errs, required(resource.ResourceRef.Kind, at.Child("resourceRef", "kind"), "must not be empty")...)
		errs = append(errs, required(resource.ResourceRef.Name, at.Child("resourceRef", "name"), "must not be empty")...)
		errs = append(errs, required(resource.ResourceRef.APIVersion, at.Child("resourceRef", "apiVersion"), "must not be empty")...)
	}
	return errs
}

func isSet(text *string) bool { return text != nil && *text != "" }
