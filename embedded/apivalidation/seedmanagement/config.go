package seedmanagement

import (
	"encoding/json"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	corevalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/core"
)

// Version and kind of a gardenlet configuration.
const (
	configVersion = "gardenlet.config.gardener.cloud/v1alpha1"
	configKind    = "GardenletConfiguration"
)

// config is the part of a gardenlet configuration that this package validates.
type config struct {
	APIVersion           string                `json:"apiVersion"`
	Kind                 string                `json:"kind"`
	SeedConfig           *seedConfig           `json:"seedConfig"`
	SeedClientConnection *seedClientConnection `json:"seedClientConnection"`
}

type seedConfig struct {
	Metadata struct {
		Name string `json:"name"`
	} `json:"metadata"`
	Spec struct {
		Networks core.SeedNetworks `json:"networks"`
	} `json:"spec"`
}

type seedClientConnection struct {
	Kubeconfig string `json:"kubeconfig"`
}

// validateConfig validates the configuration of a gardenlet. The name of its Seed is set elsewhere. In a ManagedSeed,
// fields such as seedConfig may be missing, because admission completes them.
func validateConfig(raw *runtime.RawExtension, mayBeMissing bool, path *field.Path) field.ErrorList {
	if raw == nil || len(raw.Raw) == 0 {
		if mayBeMissing {
			return nil
		}
		return field.ErrorList{field.Required(path, "must be a gardenlet configuration")}
	}
	var c config
	if err := json.Unmarshal(raw.Raw, &c); err != nil {
		return field.ErrorList{field.Invalid(path, string(raw.Raw), "must be a gardenlet configuration: "+err.Error())}
	}
	var errs field.ErrorList
	if c.APIVersion != configVersion {
		errs = append(errs, field.NotSupported(path.Child("apiVersion"), c.APIVersion, []string{configVersion}))
	}
	if c.Kind != configKind {
		errs = append(errs, field.NotSupported(path.Child("kind"), c.Kind, []string{configKind}))
	}
	if c.SeedConfig == nil && !mayBeMissing {
		errs = append(errs, field.Required(path.Child("seedConfig"), "must describe the seed"))
	}
	if c.SeedConfig != nil && c.SeedConfig.Metadata.Name != "" {
		errs = append(errs, field.Forbidden(path.Child("seedConfig", "metadata", "name"), "is the name of this object"))
	}
	if c.SeedConfig != nil {
		errs = append(errs, corevalidation.ValidateReservedNetworks(&c.SeedConfig.Spec.Networks, path.Child("seedConfig", "spec", "networks"))...)
	}
	if c.SeedClientConnection != nil && c.SeedClientConnection.Kubeconfig != "" {
		errs = append(errs, field.Forbidden(path.Child("seedClientConnection", "kubeconfig"), "is made for the gardenlet"))
	}
	return errs
}
