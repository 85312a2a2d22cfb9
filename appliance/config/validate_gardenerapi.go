package config

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/embedded/gardenapi"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission"
)

// validateGardenerAPIServer also reads the plugins' file, so that its mistakes are reported before anything starts.
func validateGardenerAPIServer(path *field.Path, s GardenerAPIServer) field.ErrorList {
	var errs field.ErrorList
	gates := gardenapi.FeatureGates()
	for name := range s.FeatureGates {
		if !slices.Contains(gates, name) {
			errs = append(errs, field.NotSupported(path.Child("featureGates"), name, gates))
		}
	}
	path = path.Child("admission")
	errs = append(errs, validatePlugins(path.Child("enablePlugins"), s.Admission.EnablePlugins)...)
	errs = append(errs, validatePlugins(path.Child("disablePlugins"), s.Admission.DisablePlugins)...)
	for i, name := range s.Admission.DisablePlugins {
		if slices.Contains(s.Admission.EnablePlugins, name) {
			errs = append(errs, field.Invalid(path.Child("disablePlugins").Index(i), name, "is enabled, too"))
		}
	}
	if s.Admission.ConfigFile != "" {
		errs = append(errs, validateFile(path.Child("configFile"), s.Admission.ConfigFile, readAdmissionConfiguration)...)
	}
	return errs
}

func validatePlugins(path *field.Path, names []string) field.ErrorList {
	var errs field.ErrorList
	known := admission.Names()
	for i, name := range names {
		if !slices.Contains(known, name) {
			errs = append(errs, field.NotSupported(path.Index(i), name, known))
		}
	}
	return errs
}

// readAdmissionConfiguration refuses unknown fields. The configuration of a plugin is checked by the plugin.
func readAdmissionConfiguration(file string) error {
	data, err := readFile(file)
	if err != nil {
		return err
	}
	return yaml.UnmarshalStrict(data, &apiserverv1.AdmissionConfiguration{})
}
