package appliance

import (
	"fmt"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/config"
)

// controllerManagerConfiguration is what the user gave, with its defaults.
func (a *appliance) controllerManagerConfiguration() (*config.ControllerManagerConfiguration, error) {
	if len(a.Config.ControllerManager) == 0 {
		return config.Default(), nil
	}
	configuration, err := config.Decode(a.Config.ControllerManager)
	if err != nil {
		return nil, fmt.Errorf("configuration of the controller manager: %w", err)
	}
	return configuration, nil
}
