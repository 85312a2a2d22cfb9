package config

// Providers of seeds.
const (
	// ProviderEmbedded runs the seed in the daemon. Pods and the nodes of shoots are processes.
	ProviderEmbedded = "embedded"
	// ProviderKind runs the seed as a kind cluster. The nodes of shoots are containers.
	ProviderKind = "kind"
)
