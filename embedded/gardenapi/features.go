package gardenapi

import (
	"maps"
	"slices"
	"strings"
)

// Feature gates of this server.
const (
	// AdminKubeconfigRequest serves shoots/adminkubeconfig and shoots/viewerkubeconfig.
	AdminKubeconfigRequest = "AdminKubeconfigRequest"
	// ShootCARotation lets certificate authorities of shoots be rotated. CARotation is its first name.
	ShootCARotation = "ShootCARotation"
	carotation      = "CARotation"
)

var defaultFeatures = map[string]bool{AdminKubeconfigRequest: true, ShootCARotation: true, carotation: true}

// feature tells whether a gate is on.
func (c *Config) feature(name string) bool {
	if on, set := c.FeatureGates[name]; set {
		return on
	}
	return defaultFeatures[name]
}

// features are the names of all gates for people.
func features() string { return strings.Join(slices.Sorted(maps.Keys(defaultFeatures)), ", ") }
