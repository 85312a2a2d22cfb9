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
	// ShootCARotation allows the rotation of certificate authorities of shoots. CARotation is its old name.
	ShootCARotation = "ShootCARotation"
	carotation      = "CARotation"
)

var defaultFeatures = map[string]bool{AdminKubeconfigRequest: true, ShootCARotation: true, carotation: true}

// feature reports whether a feature gate is on.
func (c *Config) feature(name string) bool {
	if on, set := c.FeatureGates[name]; set {
		return on
	}
	return defaultFeatures[name]
}

// FeatureGates lists the names of all gates, sorted.
func FeatureGates() []string { return slices.Sorted(maps.Keys(defaultFeatures)) }

// features lists the names of all gates for the help text.
func features() string { return strings.Join(FeatureGates(), ", ") }
