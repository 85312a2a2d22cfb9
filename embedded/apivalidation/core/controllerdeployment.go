package core

import (
	"regexp"

	"k8s.io/apimachinery/pkg/util/validation/field"

	corev1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ValidateControllerDeployment validates a new ControllerDeployment of core/v1beta1.
func ValidateControllerDeployment(deployment *core.ControllerDeployment) field.ErrorList {
	errs := validateObjectMeta(&deployment.ObjectMeta, false, validateName)
	errs = append(errs, required(deployment.Type, field.NewPath("type"), "must name a type of deployment")...)
	if deployment.Type == core.ControllerDeploymentTypeHelm && len(deployment.ProviderConfig.Raw) == 0 {
		errs = append(errs, field.Required(field.NewPath("providerConfig"), "must hold a chart"))
	}
	return errs
}

// ValidateControllerDeploymentUpdate validates a change.
func ValidateControllerDeploymentUpdate(deployment, old *core.ControllerDeployment) field.ErrorList {
	return append(validateObjectMetaUpdate(&deployment.ObjectMeta, &old.ObjectMeta), ValidateControllerDeployment(deployment)...)
}

// ValidateControllerDeploymentV1 validates a new ControllerDeployment of core/v1. The content of a deployment without
// chart is in annotations.
func ValidateControllerDeploymentV1(deployment *corev1.ControllerDeployment) field.ErrorList {
	errs := validateObjectMeta(&deployment.ObjectMeta, false, validateName)
	errs = append(errs, unique(deployment.Resources, field.NewPath("resources"), func(r corev1.NamedResourceReference) string { return r.Name }, "name")...)
	if deployment.Helm == nil {
		return errs
	}
	path := field.NewPath("helm")
	if (len(deployment.Helm.RawChart) > 0) == (deployment.Helm.OCIRepository != nil) {
		errs = append(errs, field.Invalid(path, "", "must have either rawChart or ociRepository"))
	}
	if repository := deployment.Helm.OCIRepository; repository != nil {
		errs = append(errs, ValidateOCIRepository(repository, path.Child("ociRepository"))...)
	}
	return errs
}

var ociDigest = regexp.MustCompile(`^sha256:[a-f0-9]{64}$`)

// ValidateOCIRepository accepts a full reference, or a repository with tag, digest or both.
func ValidateOCIRepository(repository *corev1.OCIRepository, path *field.Path) field.ErrorList {
	if digest := repository.Digest; isSet(digest) && !ociDigest.MatchString(*digest) {
		return field.ErrorList{field.Invalid(path.Child("digest"), *digest, "must be of the form sha256:<64 hexadecimal digits>")}
	}
	parts := isSet(repository.Repository) || isSet(repository.Tag) || isSet(repository.Digest)
	switch {
	case isSet(repository.Ref) && parts:
		return field.ErrorList{field.Forbidden(path.Child("ref"), "must not be set together with repository, tag or digest")}
	case isSet(repository.Ref):
		return nil
	case !isSet(repository.Repository):
		return field.ErrorList{field.Required(path.Child("repository"), "must name a repository unless ref is set")}
	case !isSet(repository.Tag) && !isSet(repository.Digest):
		return field.ErrorList{field.Required(path.Child("tag"), "must be set unless digest is set")}
	}
	return nil
}
