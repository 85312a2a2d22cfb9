package v1alpha1

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// CRIName names a container runtime.
// +kubebuilder:validation:Enum=containerd
type CRIName string

// Values of CRIName.
const (
	CRINameContainerD CRIName = "containerd"
)

// CgroupDriverName names a cgroup driver.
// +kubebuilder:validation:Enum=cgroupfs;systemd
type CgroupDriverName string

// Values of CgroupDriverName.
const (
	CgroupDriverCgroupfs CgroupDriverName = "cgroupfs"
	CgroupDriverSystemd  CgroupDriverName = "systemd"
)

// CRIConfig configures the container runtime.
type CRIConfig struct {
	// Name of the runtime; immutable.
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="name is immutable"
	Name CRIName `json:"name"`
	// CgroupDriver is the cgroup driver; systemd when unset.
	// +optional
	CgroupDriver *CgroupDriverName `json:"cgroupDriver,omitempty"`
	// Containerd configures containerd.
	// +optional
	Containerd *ContainerdConfig `json:"containerd,omitempty"`
}

// ContainerdConfig configures containerd.
type ContainerdConfig struct {
	// Registries configures mirrors.
	// +optional
	// +listType=atomic
	Registries []RegistryConfig `json:"registries,omitempty"`
	// SandboxImage is the pause image.
	SandboxImage string `json:"sandboxImage"`
	// Plugins configures plugins.
	// +optional
	// +listType=atomic
	Plugins []PluginConfig `json:"plugins,omitempty"`
}

// RegistryConfig configures the mirrors of one registry.
type RegistryConfig struct {
	// Upstream is the registry.
	Upstream string `json:"upstream"`
	// Server is the registry's URL.
	// +optional
	Server *string `json:"server,omitempty"`
	// Hosts are the mirrors.
	// +optional
	// +listType=atomic
	Hosts []RegistryHost `json:"hosts,omitempty"`
	// ReadinessProbe waits for the mirrors.
	// +optional
	ReadinessProbe *bool `json:"readinessProbe,omitempty"`
}

// RegistryCapability is what a mirror can do.
// +kubebuilder:validation:Enum=pull;resolve;push
type RegistryCapability string

// Values of RegistryCapability.
const (
	PullCapability    RegistryCapability = "pull"
	ResolveCapability RegistryCapability = "resolve"
	PushCapability    RegistryCapability = "push"
)

// RegistryHost is a mirror.
type RegistryHost struct {
	// URL of the mirror.
	URL string `json:"url"`
	// Capabilities is what the mirror can do.
	// +optional
	// +listType=atomic
	Capabilities []RegistryCapability `json:"capabilities,omitempty"`
	// CACerts are paths of CA files.
	// +optional
	// +listType=atomic
	CACerts []string `json:"caCerts,omitempty"`
	// OverridePath means that the URL has the API path.
	// +optional
	OverridePath *bool `json:"overridePath,omitempty"`
}

// PluginPathOperation is what is done to a path.
// +kubebuilder:validation:Enum=add;remove
type PluginPathOperation string

// Values of PluginPathOperation.
const (
	AddPluginPathOperation    PluginPathOperation = "add"
	RemovePluginPathOperation PluginPathOperation = "remove"
)

// PluginConfig configures a plugin.
type PluginConfig struct {
	// Op is what is done to the path; add when unset.
	// +optional
	Op *PluginPathOperation `json:"op,omitempty"`
	// Path in the configuration.
	// +listType=atomic
	Path []string `json:"path"`
	// Values to set.
	// +optional
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:pruning:PreserveUnknownFields
	Values *apiextensionsv1.JSON `json:"values,omitempty"`
}
