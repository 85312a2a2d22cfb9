package core

import (
	"net/url"

	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ValidatePlant validates a new Plant.
func ValidatePlant(plant *core.Plant) field.ErrorList {
	path := field.NewPath("spec")
	errs := validateObjectMeta(&plant.ObjectMeta, true, validateName)
	errs = append(errs, required(plant.Spec.SecretRef.Name, path.Child("secretRef", "name"), "must name a Secret with a kubeconfig")...)
	endpoints := path.Child("endpoints")
	errs = append(errs, unique(plant.Spec.Endpoints, endpoints, func(e core.PlantEndpoint) string { return e.Name }, "name")...)
	for i, endpoint := range plant.Spec.Endpoints {
		errs = append(errs, validateEndpoint(endpoint, endpoints.Index(i))...)
	}
	return errs
}

func validateEndpoint(endpoint core.PlantEndpoint, path *field.Path) field.ErrorList {
	errs := required(endpoint.Name, path.Child("name"), "must not be empty")
	errs = append(errs, required(endpoint.Purpose, path.Child("purpose"), "must not be empty")...)
	if parsed, err := url.Parse(endpoint.URL); err != nil || parsed.Scheme == "" || parsed.Host == "" {
		errs = append(errs, field.Invalid(path.Child("url"), endpoint.URL, "must be a URL"))
	}
	return errs
}

// ValidatePlantUpdate validates a change.
func ValidatePlantUpdate(plant, old *core.Plant) field.ErrorList {
	return append(validateObjectMetaUpdate(&plant.ObjectMeta, &old.ObjectMeta), ValidatePlant(plant)...)
}

// ValidatePlantStatusUpdate validates a change of the status.
func ValidatePlantStatusUpdate(plant, old *core.Plant) field.ErrorList {
	return validateObjectMetaUpdate(&plant.ObjectMeta, &old.ObjectMeta)
}
