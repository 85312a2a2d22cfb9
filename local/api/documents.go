// Package api holds the documents of the provider local: what users may write into a providerConfig, and what the provider writes
// into providerStatus, state and machine classes. Gardener itself does not read the content of these documents.
package api

import (
	"encoding/json"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

const (
	// Type is the value of spec.type of the provider's objects.
	Type = "local"
	// APIVersion is the version of all documents.
	APIVersion = "local.provider.extensions.gardener.cloud/v1alpha1"
)

// CloudProfileConfig is the document in spec.providerConfig of a CloudProfile.
type CloudProfileConfig struct {
	metav1.TypeMeta `json:",inline"`
	// RegistryMirrors are tried before the registry itself when nodes pull images, for example a private registry beside the
	// landscape.
	RegistryMirrors []extensionsv1alpha1.RegistryConfig `json:"registryMirrors,omitempty"`
}

// InfrastructureConfig is the document in spec.provider.infrastructureConfig of a Shoot.
type InfrastructureConfig struct {
	metav1.TypeMeta `json:",inline"`
	// Fault makes the infrastructure fail, to demonstrate a failing cloud.
	Fault *Fault `json:"fault,omitempty"`
}

// Fault is an error to be raised.
type Fault struct {
	// Message is the text of the error.
	Message string `json:"message,omitempty"`
	// Codes are the codes of the error, for instance ERR_INFRA_QUOTA_EXCEEDED.
	Codes []gardencorev1beta1.ErrorCode `json:"codes,omitempty"`
	// Permanent errors are not retried.
	Permanent bool `json:"permanent,omitempty"`
}

// InfrastructureStatus names the network of a Shoot. It is also the state of an Infrastructure: the ID is kept when
// the Shoot moves to another seed.
type InfrastructureStatus struct {
	metav1.TypeMeta `json:",inline"`
	// NetworkID identifies the network.
	NetworkID string `json:"networkID"`
}

// ControlPlaneStatus lists what the provider runs next to the control plane.
type ControlPlaneStatus struct {
	metav1.TypeMeta `json:",inline"`
	// CloudControllerManager says whether one is deployed. The kubelets of this provider set providerID and addresses
	// themselves.
	CloudControllerManager bool `json:"cloudControllerManager"`
	// StorageClasses are the names of the storage classes in the Shoot.
	StorageClasses []string `json:"storageClasses"`
}

// NetworkStatus describes the real pod network. Fields about what was not measured are missing.
type NetworkStatus struct {
	metav1.TypeMeta `json:",inline"`
	// Simulated is true if the requested add-on is not installed and embedded nodes connect the pods instead.
	Simulated bool `json:"simulated"`
	// Message explains this to users.
	Message string `json:"message"`
	// Config is the accepted configuration.
	Config *NetworkConfigStatus `json:"config,omitempty"`
	// Components says of each daemon of the network whether it is healthy on all nodes.
	Components map[string]bool `json:"components,omitempty"`
	// NetworkModules says the same of the daemons beside it that Services and names depend on, such as kube-proxy.
	NetworkModules map[string]bool `json:"networkModules,omitempty"`
	// ConnectivityTests are the results of connections that pods of the nodes have tried.
	ConnectivityTests *ConnectivityTests `json:"connectivityTests,omitempty"`
	// NotMeasured says which of these fields are missing and why. It is empty if nothing is missing.
	NotMeasured string `json:"notMeasured,omitempty"`
}

// ConnectivityTests are the results of connections between pods. A missing field means that none was tried.
type ConnectivityTests struct {
	// Pods says whether pods reach other pods at their addresses.
	Pods *bool `json:"pods,omitempty"`
	// Services says whether pods reach a Service at its address.
	Services *bool `json:"services,omitempty"`
}

// NetworkConfigStatus is the configuration of a network.
type NetworkConfigStatus struct {
	// PodCIDR and ServiceCIDR are the ranges of pods and Services.
	PodCIDR     string `json:"podCIDR"`
	ServiceCIDR string `json:"serviceCIDR"`
	// ProviderConfig is the document in spec.networking.providerConfig of the Shoot.
	ProviderConfig *runtime.RawExtension `json:"providerConfig,omitempty"`
}

// Simulated is the status of extensions for which nothing is installed.
type Simulated struct {
	metav1.TypeMeta `json:",inline"`
	// Simulated is true.
	Simulated bool `json:"simulated"`
}

// ContainerRuntimeStatus says how pods choose a container runtime.
type ContainerRuntimeStatus struct {
	metav1.TypeMeta `json:",inline"`
	// RuntimeClass is the class that pods name. Handler is the handler of that class on nodes.
	RuntimeClass string `json:"runtimeClass"`
	Handler      string `json:"handler"`
	// Simulated is true if the runtime only has the name: runc runs the pods, or nothing does.
	Simulated bool `json:"simulated"`
}

// MachineSpec is the providerSpec of a MachineClass.
type MachineSpec struct {
	metav1.TypeMeta `json:",inline"`
	// Runtime selects what the machines are; pods if empty.
	Runtime MachineRuntime `json:"runtime,omitempty"`
	// Image is the image of machine pods.
	Image string `json:"image,omitempty"`
	// Signature of machine pods, for nodes that run signed pods only.
	Signature string `json:"signature,omitempty"`
	// NodeImage is the image of machine containers.
	NodeImage string `json:"nodeImage,omitempty"`
}

// MachineRuntime is what the machines of a class are made of.
type MachineRuntime string

const (
	// Pods are the machines of embedded seeds: pods of the seed that run only a kubelet, without an operating system.
	Pods MachineRuntime = "pod"
	// Containers are the machines of kind seeds: containers of the host's engine that run a complete operating system.
	Containers MachineRuntime = "container"
)

// Meta is the type meta of a document of this package.
func Meta(kind string) metav1.TypeMeta {
	return metav1.TypeMeta{APIVersion: APIVersion, Kind: kind}
}

// Encode makes an opaque document.
func Encode(document any) *runtime.RawExtension {
	data, err := json.Marshal(document)
	if err != nil {
		panic(fmt.Sprintf("encode %T: %v", document, err)) // the types of this package always encode
	}
	return &runtime.RawExtension{Raw: data}
}

// Decode reads an opaque document into one of this package. A missing document leaves it as it is.
func Decode(raw *runtime.RawExtension, document any) error {
	if raw == nil || len(raw.Raw) == 0 {
		return nil
	}
	if err := json.Unmarshal(raw.Raw, document); err != nil {
		return fmt.Errorf("decode %T: %w", document, err)
	}
	return nil
}
