package gardenapi

// Feature gates of this server.
const (
	// AdminKubeconfigRequest serves shoots/adminkubeconfig and shoots/viewerkubeconfig.
	AdminKubeconfigRequest = "AdminKubeconfigRequest"
)

var defaultFeatures = map[string]bool{AdminKubeconfigRequest: true}

// feature tells whether a gate is on.
func (c *Config) feature(name string) bool {
	if on, set := c.FeatureGates[name]; set {
		return on
	}
	return defaultFeatures[name]
}
