package config

import (
	"maps"
	"slices"
)

// GateRotateSSHKeypair makes maintenance rotate the SSH key of the nodes of each Shoot, once per maintenance window; default false. It is
// the only feature gate with an effect. Others are accepted: their feature is always on, or not part of these controllers.
const GateRotateSSHKeypair = "RotateSSHKeypairOnMaintenance"

// gatesWithoutEffect lists the keys of gates that are set and have no effect.
func (c *ControllerManagerConfiguration) gatesWithoutEffect() []string {
	var keys []string
	for _, name := range slices.Sorted(maps.Keys(c.FeatureGates)) {
		if name != GateRotateSSHKeypair {
			keys = append(keys, "featureGates."+name)
		}
	}
	return keys
}
