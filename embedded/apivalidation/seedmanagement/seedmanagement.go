// Package seedmanagement validates objects of seedmanagement.gardener.cloud. It looks at one object, or at its old and
// new form. Of an embedded gardenlet configuration it validates only the part in config.go. All functions expect
// defaulted objects.
package seedmanagement

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	apivalidation "k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	corevalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/rules"
)

// ValidateManagedSeed validates a new ManagedSeed.
func ValidateManagedSeed(seed *seedmanagement.ManagedSeed) field.ErrorList {
	path := field.NewPath("spec")
	errs := validateMeta(&seed.ObjectMeta)
	if seed.Spec.Shoot == nil || seed.Spec.Shoot.Name == "" {
		errs = append(errs, field.Required(path.Child("shoot", "name"), "must name a shoot"))
	}
	return append(errs, validateManagedSeedSpec(&seed.Spec, path)...)
}

// ValidateManagedSeedUpdate validates a change.
func ValidateManagedSeedUpdate(seed, old *seedmanagement.ManagedSeed) field.ErrorList {
	path := field.NewPath("spec")
	errs := apivalidation.ValidateObjectMetaUpdate(&seed.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata"))
	errs = append(errs, rules.Immutable(seed.Spec.Shoot, old.Spec.Shoot, path.Child("shoot"))...)
	if now, before := seed.Spec.Gardenlet, old.Spec.Gardenlet; now != nil && before != nil {
		errs = append(errs, rules.Immutable(now.Bootstrap, before.Bootstrap, path.Child("gardenlet", "bootstrap"))...)
		errs = append(errs, rules.Immutable(now.MergeWithParent, before.MergeWithParent, path.Child("gardenlet", "mergeWithParent"))...)
	}
	return append(errs, ValidateManagedSeed(seed)...)
}

// validateManagedSeedSpec requires exactly one way to register the seed.
func validateManagedSeedSpec(spec *seedmanagement.ManagedSeedSpec, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	switch {
	case spec.SeedTemplate != nil && spec.Gardenlet != nil:
		errs = append(errs, field.Forbidden(path.Child("gardenlet"), "must not be set together with seedTemplate"))
	case spec.SeedTemplate == nil && spec.Gardenlet == nil:
		errs = append(errs, field.Required(path.Child("gardenlet"), "either gardenlet or seedTemplate must be set"))
	}
	if spec.SeedTemplate != nil {
		errs = append(errs, corevalidation.ValidateSeedTemplate(spec.SeedTemplate, path.Child("seedTemplate"))...)
	}
	if spec.Gardenlet != nil {
		errs = append(errs, validateGardenletConfig(spec.Gardenlet, path.Child("gardenlet"))...)
	}
	return errs
}

func validateGardenletConfig(gardenlet *seedmanagement.GardenletConfig, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if bootstrap := gardenlet.Bootstrap; bootstrap != nil {
		switch *bootstrap {
		case seedmanagement.BootstrapServiceAccount, seedmanagement.BootstrapToken, seedmanagement.BootstrapNone:
		default:
			errs = append(errs, field.NotSupported(path.Child("bootstrap"), *bootstrap, []seedmanagement.Bootstrap{
				seedmanagement.BootstrapServiceAccount, seedmanagement.BootstrapToken, seedmanagement.BootstrapNone}))
		}
	}
	errs = append(errs, validateConfig(gardenlet.Config, true, path.Child("config"))...)
	if gardenlet.Deployment != nil {
		errs = append(errs, validateDeployment(gardenlet.Deployment, path.Child("deployment"))...)
	}
	return errs
}

func validateDeployment(deployment *seedmanagement.GardenletDeployment, path *field.Path) field.ErrorList {
	errs := notNegative(deployment.ReplicaCount, path.Child("replicaCount"))
	errs = append(errs, notNegative(deployment.RevisionHistoryLimit, path.Child("revisionHistoryLimit"))...)
	errs = append(errs, metav1validation.ValidateLabels(deployment.PodLabels, path.Child("podLabels"))...)
	errs = append(errs, apivalidation.ValidateAnnotations(deployment.PodAnnotations, path.Child("podAnnotations"))...)
	if image := deployment.Image; image != nil && image.PullPolicy != nil {
		switch *image.PullPolicy {
		case corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever:
		default:
			errs = append(errs, field.NotSupported(path.Child("image", "pullPolicy"), *image.PullPolicy,
				[]corev1.PullPolicy{corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever}))
		}
	}
	if image := deployment.Image; image != nil && image.Ref != nil && (image.Repository != nil || image.Tag != nil) {
		errs = append(errs, field.Forbidden(path.Child("image", "ref"), "must not be set together with repository or tag"))
	}
	return errs
}

// ValidateManagedSeedSet validates a new ManagedSeedSet.
func ValidateManagedSeedSet(set *seedmanagement.ManagedSeedSet) field.ErrorList {
	path := field.NewPath("spec")
	spec := &set.Spec
	errs := validateMeta(&set.ObjectMeta)
	errs = append(errs, notNegative(spec.Replicas, path.Child("replicas"))...)
	errs = append(errs, notNegative(spec.RevisionHistoryLimit, path.Child("revisionHistoryLimit"))...)
	errs = append(errs, validateSelector(spec, path)...)
	if spec.Template.Spec.Shoot != nil {
		errs = append(errs, field.Forbidden(path.Child("template", "spec", "shoot"), "is chosen by the set"))
	}
	errs = append(errs, validateManagedSeedSpec(&spec.Template.Spec, path.Child("template", "spec"))...)
	if len(spec.ShootTemplate.Spec.Provider.Workers) == 0 {
		errs = append(errs, field.Required(path.Child("shootTemplate", "spec", "provider", "workers"), "must have at least one pool"))
	}
	errs = append(errs, corevalidation.ValidateShootTemplate(&spec.ShootTemplate, set.Namespace, path.Child("shootTemplate"))...)
	if strategy := spec.UpdateStrategy; strategy != nil {
		if strategy.Type != nil && *strategy.Type != seedmanagement.RollingUpdateStrategyType {
			errs = append(errs, field.NotSupported(path.Child("updateStrategy", "type"), *strategy.Type,
				[]seedmanagement.UpdateStrategyType{seedmanagement.RollingUpdateStrategyType}))
		}
		if strategy.RollingUpdate != nil {
			errs = append(errs, notNegative(strategy.RollingUpdate.Partition, path.Child("updateStrategy", "rollingUpdate", "partition"))...)
		}
	}
	return errs
}

func validateSelector(spec *seedmanagement.ManagedSeedSetSpec, path *field.Path) field.ErrorList {
	if len(spec.Selector.MatchLabels)+len(spec.Selector.MatchExpressions) == 0 {
		return field.ErrorList{field.Required(path.Child("selector"), "must not be empty")}
	}
	errs := metav1validation.ValidateLabelSelector(&spec.Selector, metav1validation.LabelSelectorValidationOptions{}, path.Child("selector"))
	selector, err := metav1.LabelSelectorAsSelector(&spec.Selector)
	if err != nil {
		return errs
	}
	for name, meta := range map[string]metav1.ObjectMeta{"template": spec.Template.ObjectMeta, "shootTemplate": spec.ShootTemplate.ObjectMeta} {
		if !selector.Matches(labels.Set(meta.Labels)) {
			errs = append(errs, field.Invalid(path.Child(name, "metadata", "labels"), meta.Labels, "must match the selector of the set"))
		}
	}
	return errs
}

// ValidateManagedSeedSetUpdate validates a change.
func ValidateManagedSeedSetUpdate(set, old *seedmanagement.ManagedSeedSet) field.ErrorList {
	path := field.NewPath("spec")
	errs := apivalidation.ValidateObjectMetaUpdate(&set.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata"))
	errs = append(errs, rules.Immutable(set.Spec.Selector, old.Spec.Selector, path.Child("selector"))...)
	errs = append(errs, rules.Immutable(set.Spec.RevisionHistoryLimit, old.Spec.RevisionHistoryLimit, path.Child("revisionHistoryLimit"))...)
	return append(errs, ValidateManagedSeedSet(set)...)
}

// ValidateManagedSeedSetStatusUpdate validates a change of the status.
func ValidateManagedSeedSetStatusUpdate(set, old *seedmanagement.ManagedSeedSet) field.ErrorList {
	path := field.NewPath("status")
	errs := apivalidation.ValidateObjectMetaUpdate(&set.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata"))
	if set.Status.NextReplicaNumber < old.Status.NextReplicaNumber {
		errs = append(errs, field.Invalid(path.Child("nextReplicaNumber"), set.Status.NextReplicaNumber, "must not decrease"))
	}
	if after, before := ptr.Deref(set.Status.CollisionCount, 0), ptr.Deref(old.Status.CollisionCount, 0); after < before {
		errs = append(errs, field.Invalid(path.Child("collisionCount"), after, "must not decrease"))
	}
	for name, number := range map[string]int32{"replicas": set.Status.Replicas, "readyReplicas": set.Status.ReadyReplicas,
		"currentReplicas": set.Status.CurrentReplicas, "updatedReplicas": set.Status.UpdatedReplicas} {
		errs = append(errs, notNegative(&number, path.Child(name))...)
	}
	return append(errs, validatePendingReplica(set.Status.PendingReplica, path.Child("pendingReplica"))...)
}

var pendingReasons = []seedmanagement.PendingReplicaReason{
	seedmanagement.ShootReconcilingReason, seedmanagement.ShootDeletingReason, seedmanagement.ShootReconcileFailedReason,
	seedmanagement.ShootDeleteFailedReason, seedmanagement.ManagedSeedPreparingReason, seedmanagement.ManagedSeedDeletingReason,
	seedmanagement.SeedNotReadyReason, seedmanagement.ShootNotHealthyReason,
}

func validatePendingReplica(pending *seedmanagement.PendingReplica, path *field.Path) field.ErrorList {
	if pending == nil {
		return nil
	}
	var errs field.ErrorList
	if pending.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), "must name a replica"))
	}
	if !slices.Contains(pendingReasons, pending.Reason) {
		errs = append(errs, field.NotSupported(path.Child("reason"), pending.Reason, pendingReasons))
	}
	return append(errs, notNegative(pending.Retries, path.Child("retries"))...)
}

// ValidateGardenlet validates a new Gardenlet.
func ValidateGardenlet(gardenlet *seedmanagement.Gardenlet) field.ErrorList {
	path := field.NewPath("spec")
	errs := validateMeta(&gardenlet.ObjectMeta)
	errs = append(errs, validateDeployment(&gardenlet.Spec.Deployment.GardenletDeployment, path.Child("deployment"))...)
	errs = append(errs, corevalidation.ValidateOCIRepository(&gardenlet.Spec.Deployment.Helm.OCIRepository, path.Child("deployment", "helm", "ociRepository"))...)
	return append(errs, validateConfig(gardenlet.Spec.Config, false, path.Child("config"))...)
}

// ValidateGardenletUpdate validates a change.
func ValidateGardenletUpdate(gardenlet, old *seedmanagement.Gardenlet) field.ErrorList {
	return append(apivalidation.ValidateObjectMetaUpdate(&gardenlet.ObjectMeta, &old.ObjectMeta, field.NewPath("metadata")),
		ValidateGardenlet(gardenlet)...)
}

// validateMeta requires the namespace garden.
func validateMeta(meta *metav1.ObjectMeta) field.ErrorList {
	path := field.NewPath("metadata")
	errs := apivalidation.ValidateObjectMeta(meta, true, apivalidation.NameIsDNSLabel, path)
	if meta.Namespace != "" && meta.Namespace != constants.GardenNamespace {
		errs = append(errs, field.Invalid(path.Child("namespace"), meta.Namespace, "must be garden"))
	}
	return errs
}

func notNegative(value *int32, path *field.Path) field.ErrorList {
	if value == nil || *value >= 0 {
		return nil
	}
	return field.ErrorList{field.Invalid(path, *value, "must not be negative")}
}
