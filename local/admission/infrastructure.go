package admission

import (
	"fmt"
	"reflect"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/local/api"
)

const kindInfrastructureConfig = "InfrastructureConfig"

// infrastructure refuses a configuration that the provider could not read, or that is for another provider. What is stored already stays: such a
// Shoot must still be changeable in other respects.
func infrastructure(shoot, former *gardencorev1beta1.Shoot) error {
	raw := shoot.Spec.Provider.InfrastructureConfig
	if former != nil && reflect.DeepEqual(raw, former.Spec.Provider.InfrastructureConfig) {
		return nil
	}
	config := api.InfrastructureConfig{}
	if err := api.Decode(raw, &config); err != nil {
		return fmt.Errorf("spec.provider.infrastructureConfig: %w", err)
	}
	if config.APIVersion != "" && config.APIVersion != api.APIVersion || config.Kind != "" && config.Kind != kindInfrastructureConfig {
		return fmt.Errorf("spec.provider.infrastructureConfig is %q of %q, it has to be %s of %s", config.Kind, config.APIVersion, kindInfrastructureConfig, api.APIVersion)
	}
	return nil
}
