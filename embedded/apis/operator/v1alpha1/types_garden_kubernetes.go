package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Kubernetes configures the Kubernetes components of the virtual cluster.
type Kubernetes struct {
	// KubeAPIServer configures the API server.
	KubeAPIServer *KubeAPIServerConfig `json:"kubeAPIServer,omitempty"`
	// KubeControllerManager configures the controller manager.
	KubeControllerManager *KubeControllerManagerConfig `json:"kubeControllerManager,omitempty"`
	// Version is the version of Kubernetes.
	// +kubebuilder:validation:MinLength=1
	Version string `json:"version"`
}

// KubeAPIServerConfig configures the API server.
type KubeAPIServerConfig struct {
	*gardencorev1beta1.KubeAPIServerConfig `json:",inline"`

	// AuditWebhook sends audit events to a webhook.
	AuditWebhook *AuditWebhook `json:"auditWebhook,omitempty"`
	// Authentication lets a webhook authenticate tokens.
	Authentication *Authentication `json:"authentication,omitempty"`
	// Authorization lets a webhook authorize in Gardens of older releases.
	Authorization *Authorization `json:"authorization,omitempty"`
	// ResourcesToStoreInETCDEvents are resources kept in etcd for events.
	// +listType=map
	// +listMapKey=group
	// +listMapKey=resource
	ResourcesToStoreInETCDEvents []GroupResource `json:"resourcesToStoreInETCDEvents,omitempty"`
	// SNI is the certificate shown for further names.
	SNI *SNI `json:"sni,omitempty"`
}

// AuditWebhook sends audit events to a webhook.
type AuditWebhook struct {
	// BatchMaxSize is how many events are sent at once.
	// +kubebuilder:default=30
	// +kubebuilder:validation:Minimum=1
	BatchMaxSize *int32 `json:"batchMaxSize,omitempty"`
	// KubeconfigSecretName is the Secret in the namespace garden whose key kubeconfig holds the kubeconfig of the webhook.
	// +kubebuilder:validation:MinLength=1
	KubeconfigSecretName string `json:"kubeconfigSecretName"`
	// Version is the version of the events.
	// +kubebuilder:default=audit.k8s.io/v1
	// +kubebuilder:validation:Enum=audit.k8s.io/v1
	Version *string `json:"version,omitempty"`
}

// Authentication lets a webhook authenticate tokens.
type Authentication struct {
	// Webhook is the webhook.
	Webhook *AuthenticationWebhook `json:"webhook,omitempty"`
}

// AuthenticationWebhook authenticates tokens.
type AuthenticationWebhook struct {
	// CacheTTL is how long answers are cached.
	CacheTTL *metav1.Duration `json:"cacheTTL,omitempty"`
	// KubeconfigSecretName is the Secret in the namespace garden whose key kubeconfig holds the kubeconfig of the webhook.
	// +kubebuilder:validation:MinLength=1
	KubeconfigSecretName string `json:"kubeconfigSecretName"`
	// Version is the version of the reviews.
	// +kubebuilder:default=v1beta1
	// +kubebuilder:validation:Enum=v1alpha1;v1beta1;v1
	Version *string `json:"version,omitempty"`
}

// Authorization lets a webhook authorize.
type Authorization struct {
	// Webhook is the webhook.
	Webhook *AuthorizationWebhook `json:"webhook,omitempty"`
}

// AuthorizationWebhook authorizes requests.
type AuthorizationWebhook struct {
	// CacheAuthorizedTTL is how long permissions are believed.
	CacheAuthorizedTTL *metav1.Duration `json:"cacheAuthorizedTTL,omitempty"`
	// CacheUnauthorizedTTL is how long refusals are believed.
	CacheUnauthorizedTTL *metav1.Duration `json:"cacheUnauthorizedTTL,omitempty"`
	// KubeconfigSecretName is the Secret whose key kubeconfig holds the kubeconfig of the webhook.
	// +kubebuilder:validation:MinLength=1
	KubeconfigSecretName string `json:"kubeconfigSecretName"`
	// Version is the version of the reviews.
	// +kubebuilder:default=v1beta1
	// +kubebuilder:validation:Enum=v1beta1;v1
	Version *string `json:"version,omitempty"`
}

// GroupResource is a resource of a group.
type GroupResource struct {
	// Group is the API group.
	// +kubebuilder:validation:MinLength=1
	Group string `json:"group"`
	// Resource is the resource in plural.
	// +kubebuilder:validation:MinLength=1
	Resource string `json:"resource"`
}

// SNI is the certificate shown for further names.
type SNI struct {
	// SecretName is the Secret in the namespace garden with certificate and key.
	// +kubebuilder:validation:MinLength=1
	SecretName *string `json:"secretName,omitempty"`
	// DomainPatterns are the names it is shown for; those in the certificate when unset.
	// +listType=atomic
	DomainPatterns []string `json:"domainPatterns,omitempty"`
}

// KubeControllerManagerConfig configures the controller manager.
type KubeControllerManagerConfig struct {
	*gardencorev1beta1.KubeControllerManagerConfig `json:",inline"`

	// CertificateSigningDuration is how long signed certificates are valid at most.
	// +kubebuilder:default="48h"
	CertificateSigningDuration *metav1.Duration `json:"certificateSigningDuration,omitempty"`
}
