package constants

// Labels of pods that network policies select; the value is LabelNetworkPolicyAllowed.
const (
	// LabelNetworkPolicyAllowed is the value of all labels of network policies.
	LabelNetworkPolicyAllowed = "allowed"
	// LabelNetworkPolicyToDNS permits DNS queries.
	LabelNetworkPolicyToDNS = "networking.gardener.cloud/to-dns"
	// LabelNetworkPolicyToPublicNetworks permits connections to the Internet.
	LabelNetworkPolicyToPublicNetworks = "networking.gardener.cloud/to-public-networks"
	// LabelNetworkPolicyToPrivateNetworks permits connections to private networks.
	LabelNetworkPolicyToPrivateNetworks = "networking.gardener.cloud/to-private-networks"
	// LabelNetworkPolicyToBlockedCIDRs permits connections to blocked ranges.
	LabelNetworkPolicyToBlockedCIDRs = "networking.gardener.cloud/to-blocked-cidrs"
	// LabelNetworkPolicyToRuntimeAPIServer permits connections to the API server of the runtime cluster.
	LabelNetworkPolicyToRuntimeAPIServer = "networking.gardener.cloud/to-runtime-apiserver"
	// LabelNetworkPolicyAccessTargetAPIServer permits connections to the API server of the own shoot.
	LabelNetworkPolicyAccessTargetAPIServer = "networking.gardener.cloud/access-target-apiserver"
	// LabelNetworkPolicyShootFromSeed permits connections from the seed.
	LabelNetworkPolicyShootFromSeed = "networking.gardener.cloud/from-seed"
	// LabelNetworkPolicyShootToAPIServer permits connections of shoot pods to the API server.
	LabelNetworkPolicyShootToAPIServer = "networking.gardener.cloud/to-apiserver"
	// LabelNetworkPolicyShootToKubelet permits connections of shoot pods to kubelets.
	LabelNetworkPolicyShootToKubelet = "networking.gardener.cloud/to-kubelet"
	// LabelNetworkPolicyFromPrometheus permits connections from Prometheus.
	LabelNetworkPolicyFromPrometheus = "networking.gardener.cloud/from-prometheus"
	// LabelNetworkPolicyServicePrefix begins the labels that permit connections to a Service.
	LabelNetworkPolicyServicePrefix = "networking.resources.gardener.cloud/to-"
)
