package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Gardener configures the Gardener components.
type Gardener struct {
	// ClusterIdentity is the identity of the garden.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="clusterIdentity is immutable"
	ClusterIdentity string `json:"clusterIdentity"`
	// APIServer configures the Gardener API server.
	APIServer *GardenerAPIServerConfig `json:"gardenerAPIServer,omitempty"`
	// AdmissionController configures the admission controller.
	AdmissionController *GardenerAdmissionControllerConfig `json:"gardenerAdmissionController,omitempty"`
	// ControllerManager configures the controller manager.
	ControllerManager *GardenerControllerManagerConfig `json:"gardenerControllerManager,omitempty"`
	// Scheduler configures the scheduler.
	Scheduler *GardenerSchedulerConfig `json:"gardenerScheduler,omitempty"`
	// Dashboard deploys the dashboard.
	Dashboard *GardenerDashboardConfig `json:"gardenerDashboard,omitempty"`
	// DiscoveryServer deploys the discovery server.
	DiscoveryServer *GardenerDiscoveryServerConfig `json:"gardenerDiscoveryServer,omitempty"`
	// ResourceManager configures the resource manager of the virtual cluster.
	ResourceManager *GardenerResourceManagerConfig `json:"gardenerResourceManager,omitempty"`
}

// GardenerAPIServerConfig configures the Gardener API server.
type GardenerAPIServerConfig struct {
	gardencorev1beta1.KubernetesConfig `json:",inline"`

	// AdmissionPlugins are admission plugins to add, to configure or to switch off.
	// +listType=map
	// +listMapKey=name
	AdmissionPlugins []gardencorev1beta1.AdmissionPlugin `json:"admissionPlugins,omitempty"`
	// AuditConfig configures auditing; the ConfigMap is in the namespace garden.
	AuditConfig *gardencorev1beta1.AuditConfig `json:"auditConfig,omitempty"`
	// AuditWebhook sends the audit log elsewhere.
	AuditWebhook *AuditWebhook `json:"auditWebhook,omitempty"`
	// Logging configures the log.
	Logging *gardencorev1beta1.APIServerLogging `json:"logging,omitempty"`
	// Requests bounds the requests served at once.
	Requests *gardencorev1beta1.APIServerRequests `json:"requests,omitempty"`
	// WatchCacheSizes are the sizes of the watch caches.
	WatchCacheSizes *gardencorev1beta1.WatchCacheSizes `json:"watchCacheSizes,omitempty"`
	// EncryptionConfig lists resources to encrypt in etcd in addition to those that are always encrypted.
	EncryptionConfig *gardencorev1beta1.EncryptionConfig `json:"encryptionConfig,omitempty"`
	// GoAwayChance is the probability that the server asks a client to reconnect.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=0.02
	GoAwayChance *float64 `json:"goAwayChance,omitempty"`
	// ShootAdminKubeconfigMaxExpiration is how long kubeconfigs of administrators are valid at most.
	ShootAdminKubeconfigMaxExpiration *metav1.Duration `json:"shootAdminKubeconfigMaxExpiration,omitempty"`
}

// GardenerAdmissionControllerConfig configures the admission controller.
type GardenerAdmissionControllerConfig struct {
	// LogLevel is the log level.
	// +kubebuilder:default=info
	// +kubebuilder:validation:Enum=info;debug;error
	LogLevel *string `json:"logLevel,omitempty"`
	// ResourceAdmissionConfiguration bounds sizes and numbers of objects.
	ResourceAdmissionConfiguration *ResourceAdmissionConfiguration `json:"resourceAdmissionConfiguration,omitempty"`
}

// ResourceAdmissionConfiguration bounds sizes and numbers of objects.
type ResourceAdmissionConfiguration struct {
	// Limits are the bounds.
	// +listType=atomic
	Limits []ResourceLimit `json:"limits"`
	// UnrestrictedSubjects are not bounded.
	// +listType=atomic
	UnrestrictedSubjects []rbacv1.Subject `json:"unrestrictedSubjects,omitempty"`
	// OperationMode says whether objects beyond a bound are refused or only logged.
	// +kubebuilder:default=block
	// +kubebuilder:validation:Enum=block;log
	OperationMode *string `json:"operationMode,omitempty"`
}

// ResourceLimit bounds sizes and numbers of the objects of some resources.
type ResourceLimit struct {
	// APIGroups are the groups; * means all.
	// +listType=atomic
	APIGroups []string `json:"apiGroups,omitempty"`
	// APIVersions are the versions; * means all.
	// +listType=atomic
	APIVersions []string `json:"apiVersions,omitempty"`
	// Resources are the resources; * means all.
	// +listType=atomic
	Resources []string `json:"resources"`
	// Size is how many bytes an object has at most.
	Size *resource.Quantity `json:"size,omitempty"`
	// Count is how many objects there are at most.
	Count *int64 `json:"count,omitempty"`
}

// GardenerControllerManagerConfig configures the controller manager.
type GardenerControllerManagerConfig struct {
	gardencorev1beta1.KubernetesConfig `json:",inline"`

	// DefaultProjectQuotas are put into the namespaces of projects.
	// +listType=atomic
	DefaultProjectQuotas []ProjectQuotaConfiguration `json:"defaultProjectQuotas,omitempty"`
	// LogLevel is the log level.
	// +kubebuilder:default=info
	// +kubebuilder:validation:Enum=info;debug;error
	LogLevel *string `json:"logLevel,omitempty"`
}

// ProjectQuotaConfiguration is a quota for projects.
type ProjectQuotaConfiguration struct {
	// Config is the quota.
	// +kubebuilder:validation:Schemaless
	// +kubebuilder:validation:Type=object
	// +kubebuilder:pruning:PreserveUnknownFields
	Config corev1.ResourceQuota `json:"config"`
	// ProjectSelector picks the projects; all when unset.
	ProjectSelector *metav1.LabelSelector `json:"projectSelector,omitempty"`
}

// GardenerSchedulerConfig configures the scheduler.
type GardenerSchedulerConfig struct {
	gardencorev1beta1.KubernetesConfig `json:",inline"`

	// Strategy is how seeds are chosen.
	// +kubebuilder:default=SameRegion
	// +kubebuilder:validation:Enum=SameRegion;MinimalDistance
	Strategy *string `json:"strategy,omitempty"`
	// LogLevel is the log level.
	// +kubebuilder:default=info
	// +kubebuilder:validation:Enum=info;debug;error
	LogLevel *string `json:"logLevel,omitempty"`
}

// GardenerDiscoveryServerConfig deploys the discovery server.
type GardenerDiscoveryServerConfig struct {
	// Domain is the DNS domain of the discovery server.
	Domain *DNSDomain `json:"domain,omitempty"`
	// TLSSecretName is the Secret with its certificate.
	TLSSecretName *string `json:"tlsSecretName,omitempty"`
}

// GardenerResourceManagerConfig configures the resource manager of the virtual cluster.
type GardenerResourceManagerConfig struct {
	// AdditionalTargetNamespaces are further namespaces it may write to.
	// +listType=atomic
	AdditionalTargetNamespaces []string `json:"additionalTargetNamespaces,omitempty"`
}
