package core

import (
	"slices"

	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"

	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// kindExtension is the only kind whose resources have additional settings.
const kindExtension = "Extension"

var extensionKinds = []string{
	"BackupBucket", "BackupEntry", "Bastion", "ContainerRuntime", "ControlPlane", "DNSProvider", "DNSRecord", kindExtension,
	"Infrastructure", "Network", "OperatingSystemConfig", "SelfHostedShootExposure", "Worker",
}

// ValidateControllerRegistration validates a new ControllerRegistration.
func ValidateControllerRegistration(registration *core.ControllerRegistration) field.ErrorList {
	path := field.NewPath("spec")
	resources := registration.Spec.Resources
	errs := validateObjectMeta(&registration.ObjectMeta, false, validateName)
	errs = append(errs, validateInline(registration, path.Child("deployment"))...)
	errs = append(errs, unique(resources, path.Child("resources"), func(r core.ControllerResource) string { return r.Kind + "/" + r.Type }, "")...)
	for i := range resources {
		errs = append(errs, validateControllerResource(&resources[i], path.Child("resources").Index(i))...)
	}
	if deployment := registration.Spec.Deployment; deployment != nil {
		errs = append(errs, validateRegistrationDeployment(deployment, resources, path.Child("deployment"))...)
	}
	return errs
}

// validateInline validates a deployment that is part of the registration.
func validateInline(registration *core.ControllerRegistration, path *field.Path) field.ErrorList {
	deployment := registration.Spec.Deployment
	switch {
	case deployment == nil:
		return nil
	case deployment.Type == nil && deployment.ProviderConfig != nil:
		return field.ErrorList{field.Required(path.Child("type"), "must be set together with providerConfig")}
	case deployment.Type == nil:
		return nil
	}
	errs := required(*deployment.Type, path.Child("type"), "must name a type of deployment")
	if *deployment.Type == core.ControllerDeploymentTypeHelm && deployment.ProviderConfig == nil {
		errs = append(errs, field.Required(path.Child("providerConfig"), "must hold a chart"))
	}
	for i, reference := range deployment.DeploymentRefs {
		if reference.Name != registration.Name {
			errs = append(errs, field.Forbidden(path.Child("deploymentRefs").Index(i), "must not be set together with type"))
		}
	}
	return errs
}

func validateControllerResource(resource *core.ControllerResource, path *field.Path) field.ErrorList {
	errs := oneOf(resource.Kind, path.Child("kind"), extensionKinds...)
	errs = append(errs, required(resource.Type, path.Child("type"), "must not be empty")...)
	if resource.Kind != kindExtension {
		for name, present := range map[string]bool{
			"globallyEnabled":      resource.GloballyEnabled != nil && *resource.GloballyEnabled,
			"reconcileTimeout":     resource.ReconcileTimeout != nil,
			"lifecycle":            resource.Lifecycle != nil,
			"autoEnable":           len(resource.AutoEnable) > 0,
			"clusterCompatibility": len(resource.ClusterCompatibility) > 0,
		} {
			if present {
				errs = append(errs, field.Forbidden(path.Child(name), "is for resources of kind Extension"))
			}
		}
		return errs
	}
	for i, cluster := range resource.ClusterCompatibility {
		errs = append(errs, oneOf(cluster, path.Child("clusterCompatibility").Index(i), core.ClusterTypeShoot, core.ClusterTypeSeed)...)
	}
	for i, cluster := range resource.AutoEnable {
		errs = append(errs, oneOf(cluster, path.Child("autoEnable").Index(i), resource.ClusterCompatibility...)...)
	}
	return append(errs, validateLifecycle(resource.Lifecycle, path.Child("lifecycle"))...)
}

func validateLifecycle(lifecycle *core.ControllerResourceLifecycle, path *field.Path) field.ErrorList {
	if lifecycle == nil {
		return nil
	}
	var errs field.ErrorList
	if lifecycle.Reconcile != nil {
		errs = append(errs, oneOf(*lifecycle.Reconcile, path.Child("reconcile"),
			core.BeforeKubeAPIServer, core.AfterKubeAPIServer, core.AfterWorker)...)
	}
	for name, strategy := range map[string]*core.ControllerResourceLifecycleStrategy{"delete": lifecycle.Delete, "migrate": lifecycle.Migrate} {
		if strategy != nil {
			errs = append(errs, oneOf(*strategy, path.Child(name), core.BeforeKubeAPIServer, core.AfterKubeAPIServer)...)
		}
	}
	return errs
}

func validateRegistrationDeployment(deployment *core.ControllerRegistrationDeployment, resources []core.ControllerResource, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if deployment.Policy != nil {
		errs = append(errs, oneOf(*deployment.Policy, path.Child("policy"), core.ControllerDeploymentPolicyOnDemand,
			core.ControllerDeploymentPolicyAlways, core.ControllerDeploymentPolicyAlwaysExceptNoShoots)...)
	}
	if deployment.SeedSelector != nil {
		if slices.ContainsFunc(resources, func(r core.ControllerResource) bool { return r.Primary == nil || *r.Primary }) {
			errs = append(errs, field.Forbidden(path.Child("seedSelector"), "must not be set for primary resources"))
		}
		errs = append(errs, metav1validation.ValidateLabelSelector(deployment.SeedSelector,
			metav1validation.LabelSelectorValidationOptions{}, path.Child("seedSelector"))...)
	}
	if len(deployment.DeploymentRefs) > 1 {
		errs = append(errs, field.TooMany(path.Child("deploymentRefs"), len(deployment.DeploymentRefs), 1))
	}
	for i, reference := range deployment.DeploymentRefs {
		errs = append(errs, required(reference.Name, path.Child("deploymentRefs").Index(i).Child("name"), "must name a ControllerDeployment")...)
	}
	return errs
}

// ValidateControllerRegistrationUpdate validates a change.
func ValidateControllerRegistrationUpdate(registration, old *core.ControllerRegistration) field.ErrorList {
	errs := validateObjectMetaUpdate(&registration.ObjectMeta, &old.ObjectMeta)
	before := map[string]*bool{}
	for _, resource := range old.Spec.Resources {
		before[resource.Kind+"/"+resource.Type] = resource.Primary
	}
	for i, resource := range registration.Spec.Resources {
		if primary, ok := before[resource.Kind+"/"+resource.Type]; ok {
			errs = append(errs, rules.Immutable(resource.Primary, primary, field.NewPath("spec", "resources").Index(i).Child("primary"))...)
		}
	}
	return append(errs, ValidateControllerRegistration(registration)...)
}
