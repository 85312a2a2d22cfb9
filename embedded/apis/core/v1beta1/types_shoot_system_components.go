package v1beta1

// SystemComponents configures components that Gardener runs inside a cluster.
type SystemComponents struct {
	// CoreDNS configures the DNS server of the cluster.
	CoreDNS *CoreDNS `json:"coreDNS,omitempty" protobuf:"bytes,1,opt,name=coreDNS"`

	// NodeLocalDNS configures the DNS cache on the nodes.
	NodeLocalDNS *NodeLocalDNS `json:"nodeLocalDNS,omitempty" protobuf:"bytes,2,opt,name=nodeLocalDNS"`
}

// CoreDNS configures the DNS server of a cluster.
type CoreDNS struct {
	// Autoscaling says how the server scales.
	Autoscaling *CoreDNSAutoscaling `json:"autoscaling,omitempty" protobuf:"bytes,1,opt,name=autoscaling"`

	// Rewriting configures the rewriting of queries.
	Rewriting *CoreDNSRewriting `json:"rewriting,omitempty" protobuf:"bytes,2,opt,name=rewriting"`
}

// CoreDNSAutoscaling says how the DNS server scales.
type CoreDNSAutoscaling struct {
	// Mode is horizontal or cluster-proportional; horizontal by default.
	Mode CoreDNSAutoscalingMode `json:"mode" protobuf:"bytes,1,opt,name=mode"`
}

// CoreDNSAutoscalingMode is how the DNS server scales.
type CoreDNSAutoscalingMode string

const (
	// CoreDNSAutoscalingModeHorizontal scales with the load.
	CoreDNSAutoscalingModeHorizontal CoreDNSAutoscalingMode = "horizontal"
	// CoreDNSAutoscalingModeClusterProportional scales with the number of nodes and cores.
	CoreDNSAutoscalingModeClusterProportional CoreDNSAutoscalingMode = "cluster-proportional"
)

// CoreDNSRewriting configures the rewriting of DNS queries.
type CoreDNSRewriting struct {
	// CommonSuffixes are suffixes of names that are never looked up inside the cluster.
	// +listType=set
	CommonSuffixes []string `json:"commonSuffixes,omitempty" protobuf:"bytes,1,rep,name=commonSuffixes"`
}

// NodeLocalDNS configures the DNS cache on the nodes.
type NodeLocalDNS struct {
	// Enabled switches the cache on.
	Enabled bool `json:"enabled" protobuf:"varint,1,opt,name=enabled"`

	// ForceTCPToClusterDNS uses TCP to the DNS server of the cluster; true if unset.
	ForceTCPToClusterDNS *bool `json:"forceTCPToClusterDNS,omitempty" protobuf:"varint,2,opt,name=forceTCPToClusterDNS"`

	// ForceTCPToUpstreamDNS uses TCP to DNS servers outside; true if unset.
	ForceTCPToUpstreamDNS *bool `json:"forceTCPToUpstreamDNS,omitempty" protobuf:"varint,3,opt,name=forceTCPToUpstreamDNS"`

	// DisableForwardToUpstreamDNS sends all queries to the DNS server of the cluster; false if unset.
	DisableForwardToUpstreamDNS *bool `json:"disableForwardToUpstreamDNS,omitempty" protobuf:"varint,4,opt,name=disableForwardToUpstreamDNS"`
}
