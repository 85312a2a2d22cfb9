package config

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Controllers holds the settings of the controllers.
type Controllers struct {
	ClusterID        *string          `json:"clusterID,omitempty"`
	ResourceClass    string           `json:"resourceClass,omitempty"`    // default "resources"
	CacheSyncTimeout *metav1.Duration `json:"cacheSyncTimeout,omitempty"` // default 2m

	ManagedResource        ManagedResource      `json:"managedResource,omitempty"`
	Health                 Health               `json:"health,omitempty" effect:"none"`
	GarbageCollector       GarbageCollector     `json:"garbageCollector,omitempty"`
	CSRApprover            CSRApprover          `json:"csrApprover,omitempty"`
	KubeletCSRApprover     CSRApprover          `json:"kubeletCSRApprover,omitempty"` // name of CSRApprover until v1.105
	NodeCriticalComponents Node                 `json:"nodeCriticalComponents,omitempty"`
	Node                   Node                 `json:"node,omitempty"` // name of NodeCriticalComponents until v1.93
	RootCAPublisher        RootCAPublisher      `json:"rootCAPublisher,omitempty"`
	Secret                 *Concurrent          `json:"secret,omitempty" effect:"none" instead:"controllers.managedResource"` // part of ManagedResource here
	TokenInvalidator       ConcurrentController `json:"tokenInvalidator,omitempty"`
	TokenRequestor         ConcurrentController `json:"tokenRequestor,omitempty"`

	NetworkPolicy NetworkPolicy `json:"networkPolicy,omitempty"`

	IstioClusterConfiguration    ConcurrentController `json:"istioClusterConfiguration,omitempty" effect:"none"`
	NodeAgentReconciliationDelay NodeAgentDelay       `json:"nodeAgentReconciliationDelay,omitempty" effect:"none"`
}

// NetworkPolicy derives network policies from Services.
type NetworkPolicy struct {
	ConcurrentController `json:",inline"`
	// NamespaceSelectors select the namespaces of Services; without a selector all namespaces are selected.
	NamespaceSelectors []metav1.LabelSelector `json:"namespaceSelectors,omitempty"`
	// IngressControllerSelector selects the pods that serve Ingresses.
	IngressControllerSelector *IngressControllerSelector `json:"ingressControllerSelector,omitempty"`
}

// IngressControllerSelector selects pods of one namespace.
type IngressControllerSelector struct {
	Namespace   string               `json:"namespace"`
	PodSelector metav1.LabelSelector `json:"podSelector"`
}

// NodeAgentDelay spreads the work of node agents over time.
type NodeAgentDelay struct {
	Switch   `json:",inline"`
	MinDelay *metav1.Duration `json:"minDelay,omitempty"`
	MaxDelay *metav1.Duration `json:"maxDelay,omitempty"`
}

// Concurrent is how many objects are handled at a time.
type Concurrent struct {
	ConcurrentSyncs int `json:"concurrentSyncs,omitempty"`
}

// ConcurrentController is a controller that can be turned on.
type ConcurrentController struct {
	Switch     `json:",inline"`
	Concurrent `json:",inline"`
}

// ManagedResource configures the controller that applies ManagedResources.
type ManagedResource struct {
	Concurrent          `json:",inline"`
	SyncPeriod          *metav1.Duration `json:"syncPeriod,omitempty"` // default 1m
	AlwaysUpdate        bool             `json:"alwaysUpdate,omitempty"`
	ManagedByLabelValue string           `json:"managedByLabelValue,omitempty"` // default "gardener"
}

// Health is checked whenever a ManagedResource is reconciled; the settings are accepted for compatibility.
type Health struct {
	Concurrent `json:",inline"`
	SyncPeriod *metav1.Duration `json:"syncPeriod,omitempty"`
}

// GarbageCollector deletes unused Secrets and ConfigMaps.
type GarbageCollector struct {
	Switch     `json:",inline"`
	SyncPeriod *metav1.Duration `json:"syncPeriod,omitempty"` // default 1h
}

// CSRApprover approves serving certificates of kubelets.
type CSRApprover struct {
	ConcurrentController `json:",inline"`
	MachineNamespace     string `json:"machineNamespace,omitempty"`
}

// Node removes the taint of new nodes.
type Node struct {
	ConcurrentController `json:",inline"`
	Backoff              *metav1.Duration `json:"backoff,omitempty"` // default 10s
}

// RootCAPublisher writes kube-root-ca.crt.
type RootCAPublisher struct {
	ConcurrentController `json:",inline"`
	RootCAFile           string `json:"rootCAFile,omitempty"`
}
