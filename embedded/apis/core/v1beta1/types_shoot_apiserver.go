package v1beta1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// KubeAPIServerConfig configures the API server of a cluster.
type KubeAPIServerConfig struct {
	// KubernetesConfig holds the feature gates.
	KubernetesConfig `json:",inline" protobuf:"bytes,1,opt,name=kubernetesConfig"`

	// AdmissionPlugins are admission plugins to add, to configure or to switch off.
	// +listType=map
	// +listMapKey=name
	AdmissionPlugins []AdmissionPlugin `json:"admissionPlugins,omitempty" protobuf:"bytes,2,rep,name=admissionPlugins"`

	// APIAudiences are the audiences of service account tokens; kubernetes by default.
	// +listType=set
	APIAudiences []string `json:"apiAudiences,omitempty" protobuf:"bytes,3,rep,name=apiAudiences"`

	// AuditConfig configures auditing.
	AuditConfig *AuditConfig `json:"auditConfig,omitempty" protobuf:"bytes,4,opt,name=auditConfig"`

	// EnableBasicAuthentication has no effect; a switch of older releases.
	EnableBasicAuthentication *bool `json:"enableBasicAuthentication,omitempty" protobuf:"varint,5,opt,name=enableBasicAuthentication"`

	// OIDCConfig lets an OpenID Connect provider authenticate users.
	OIDCConfig *OIDCConfig `json:"oidcConfig,omitempty" protobuf:"bytes,6,opt,name=oidcConfig"`

	// RuntimeConfig switches API groups and versions on and off.
	RuntimeConfig map[string]bool `json:"runtimeConfig,omitempty" protobuf:"bytes,7,rep,name=runtimeConfig"`

	// ServiceAccountConfig configures service account tokens.
	ServiceAccountConfig *ServiceAccountConfig `json:"serviceAccountConfig,omitempty" protobuf:"bytes,8,opt,name=serviceAccountConfig"`

	// WatchCacheSizes are the sizes of the watch caches.
	WatchCacheSizes *WatchCacheSizes `json:"watchCacheSizes,omitempty" protobuf:"bytes,9,opt,name=watchCacheSizes"`

	// Requests bounds the requests served at once.
	Requests *APIServerRequests `json:"requests,omitempty" protobuf:"bytes,10,opt,name=requests"`

	// EnableAnonymousAuthentication permits requests without credentials; false by default.
	EnableAnonymousAuthentication *bool `json:"enableAnonymousAuthentication,omitempty" protobuf:"varint,11,opt,name=enableAnonymousAuthentication"`

	// EventTTL is how long events are kept; 1h by default.
	EventTTL *metav1.Duration `json:"eventTTL,omitempty" protobuf:"bytes,12,opt,name=eventTTL"`

	// Logging configures the log.
	Logging *APIServerLogging `json:"logging,omitempty" protobuf:"bytes,13,opt,name=logging"`

	// DefaultNotReadyTolerationSeconds is how long pods stay on a node that is not ready; 300 by default.
	DefaultNotReadyTolerationSeconds *int64 `json:"defaultNotReadyTolerationSeconds,omitempty" protobuf:"varint,14,opt,name=defaultNotReadyTolerationSeconds"`

	// DefaultUnreachableTolerationSeconds is how long pods stay on a node that is unreachable; 300 by default.
	DefaultUnreachableTolerationSeconds *int64 `json:"defaultUnreachableTolerationSeconds,omitempty" protobuf:"varint,15,opt,name=defaultUnreachableTolerationSeconds"`

	// EncryptionConfig says what is encrypted in etcd beside Secrets.
	EncryptionConfig *EncryptionConfig `json:"encryptionConfig,omitempty" protobuf:"bytes,16,opt,name=encryptionConfig"`

	// StructuredAuthentication refers to an authentication configuration.
	StructuredAuthentication *StructuredAuthentication `json:"structuredAuthentication,omitempty" protobuf:"bytes,17,opt,name=structuredAuthentication"`

	// StructuredAuthorization refers to an authorization configuration.
	StructuredAuthorization *StructuredAuthorization `json:"structuredAuthorization,omitempty" protobuf:"bytes,18,opt,name=structuredAuthorization"`

	// Autoscaling bounds the scaling of the API server.
	Autoscaling *ControlPlaneAutoscaling `json:"autoscaling,omitempty" protobuf:"bytes,19,opt,name=autoscaling"`

	// TLSMinVersion is VersionTLS12 or VersionTLS13.
	TLSMinVersion *string `json:"tlsMinVersion,omitempty" protobuf:"bytes,20,opt,name=tlsMinVersion"`
}

// APIServerLogging configures the log of an API server.
type APIServerLogging struct {
	// Verbosity is the log level; 2 by default.
	Verbosity *int32 `json:"verbosity,omitempty" protobuf:"varint,1,opt,name=verbosity"`

	// HTTPAccessVerbosity is the log level of requests.
	HTTPAccessVerbosity *int32 `json:"httpAccessVerbosity,omitempty" protobuf:"varint,2,opt,name=httpAccessVerbosity"`
}

// APIServerRequests bounds the requests an API server serves at once.
type APIServerRequests struct {
	// MaxNonMutatingInflight bounds reading requests; 400 by default.
	MaxNonMutatingInflight *int32 `json:"maxNonMutatingInflight,omitempty" protobuf:"varint,1,opt,name=maxNonMutatingInflight"`

	// MaxMutatingInflight bounds writing requests; 200 by default.
	MaxMutatingInflight *int32 `json:"maxMutatingInflight,omitempty" protobuf:"varint,2,opt,name=maxMutatingInflight"`
}

// EncryptionConfig says what is encrypted in etcd beside Secrets.
type EncryptionConfig struct {
	// Resources are the resources as plural.group.
	// +listType=set
	Resources []string `json:"resources,omitempty" protobuf:"bytes,1,rep,name=resources"`

	// Provider is the cipher.
	Provider EncryptionProvider `json:"provider,omitempty" protobuf:"bytes,2,opt,name=provider"`
}

// EncryptionProvider is a cipher for data in etcd.
type EncryptionProvider struct {
	// Type is aescbc, aesgcm or secretbox; aescbc by default.
	Type *EncryptionProviderType `json:"type,omitempty" protobuf:"bytes,1,opt,name=type"`
}

// EncryptionProviderType is a cipher for data in etcd.
type EncryptionProviderType string

const (
	// EncryptionProviderTypeAESCBC is AES in CBC mode.
	EncryptionProviderTypeAESCBC EncryptionProviderType = "aescbc"
	// EncryptionProviderTypeAESGCM is AES in GCM mode; needs frequent rotation of the key.
	EncryptionProviderTypeAESGCM EncryptionProviderType = "aesgcm"
	// EncryptionProviderTypeSecretbox is XSalsa20 with Poly1305.
	EncryptionProviderTypeSecretbox EncryptionProviderType = "secretbox"
)

// StructuredAuthentication refers to an authentication configuration.
type StructuredAuthentication struct {
	// ConfigMapName is a ConfigMap in the namespace of the Shoot with the key config.yaml.
	ConfigMapName string `json:"configMapName" protobuf:"bytes,1,opt,name=configMapName"`
}

// StructuredAuthorization refers to an authorization configuration.
type StructuredAuthorization struct {
	// ConfigMapName is a ConfigMap in the namespace of the Shoot with the key config.yaml.
	ConfigMapName string `json:"configMapName" protobuf:"bytes,1,opt,name=configMapName"`

	// Kubeconfigs are the kubeconfigs of the webhook authorizers.
	// +listType=map
	// +listMapKey=authorizerName
	Kubeconfigs []AuthorizerKubeconfigReference `json:"kubeconfigs" protobuf:"bytes,2,rep,name=kubeconfigs"`
}

// AuthorizerKubeconfigReference is the kubeconfig of a webhook authorizer.
type AuthorizerKubeconfigReference struct {
	// AuthorizerName is the name of the authorizer in the configuration.
	AuthorizerName string `json:"authorizerName" protobuf:"bytes,1,opt,name=authorizerName"`

	// SecretName is the Secret in the namespace of the Shoot with the kubeconfig.
	SecretName string `json:"secretName" protobuf:"bytes,2,opt,name=secretName"`
}

// ServiceAccountConfig configures service account tokens.
type ServiceAccountConfig struct {
	// Issuer is the issuer of the tokens, as https URL.
	Issuer *string `json:"issuer,omitempty" protobuf:"bytes,1,opt,name=issuer"`

	// SigningKeySecret refers to an own signing key; a setting of older releases.
	SigningKeySecret *corev1.LocalObjectReference `json:"signingKeySecretName,omitempty" protobuf:"bytes,2,opt,name=signingKeySecretName"`

	// ExtendTokenExpiration extends tokens of pods beyond their expiration; false if unset.
	ExtendTokenExpiration *bool `json:"extendTokenExpiration,omitempty" protobuf:"varint,3,opt,name=extendTokenExpiration"`

	// MaxTokenExpiration is the longest life of a token, 720h to 2160h.
	MaxTokenExpiration *metav1.Duration `json:"maxTokenExpiration,omitempty" protobuf:"bytes,4,opt,name=maxTokenExpiration"`

	// AcceptedIssuers are further issuers whose tokens are accepted.
	// +listType=set
	AcceptedIssuers []string `json:"acceptedIssuers,omitempty" protobuf:"bytes,5,rep,name=acceptedIssuers"`
}

// AuditConfig configures auditing.
type AuditConfig struct {
	// AuditPolicy says what is recorded.
	AuditPolicy *AuditPolicy `json:"auditPolicy,omitempty" protobuf:"bytes,1,opt,name=auditPolicy"`
}

// AuditPolicy says what is recorded.
type AuditPolicy struct {
	// ConfigMapRef refers to a ConfigMap with the key policy, in the namespace of the Shoot.
	ConfigMapRef *corev1.ObjectReference `json:"configMapRef,omitempty" protobuf:"bytes,1,opt,name=configMapRef"`
}

// OIDCConfig lets an OpenID Connect provider authenticate users.
type OIDCConfig struct {
	// CABundle is a PEM bundle to verify the provider with.
	CABundle *string `json:"caBundle,omitempty" protobuf:"bytes,1,opt,name=caBundle"`

	// ClientAuthentication has no effect; for kubeconfigs of older releases.
	ClientAuthentication *OpenIDConnectClientAuthentication `json:"clientAuthentication,omitempty" protobuf:"bytes,2,opt,name=clientAuthentication"`

	// ClientID is the client the tokens must be issued for.
	ClientID *string `json:"clientID,omitempty" protobuf:"bytes,3,opt,name=clientID"`

	// GroupsClaim is the claim with the user's groups.
	GroupsClaim *string `json:"groupsClaim,omitempty" protobuf:"bytes,4,opt,name=groupsClaim"`

	// GroupsPrefix is put before group names.
	GroupsPrefix *string `json:"groupsPrefix,omitempty" protobuf:"bytes,5,opt,name=groupsPrefix"`

	// IssuerURL is the https URL of the provider.
	IssuerURL *string `json:"issuerURL,omitempty" protobuf:"bytes,6,opt,name=issuerURL"`

	// RequiredClaims are claims a token must have.
	RequiredClaims map[string]string `json:"requiredClaims,omitempty" protobuf:"bytes,7,rep,name=requiredClaims"`

	// SigningAlgs are the accepted signature algorithms; RS256 by default.
	// +listType=set
	SigningAlgs []string `json:"signingAlgs,omitempty" protobuf:"bytes,8,rep,name=signingAlgs"`

	// UsernameClaim is the claim with the user name; sub by default.
	UsernameClaim *string `json:"usernameClaim,omitempty" protobuf:"bytes,9,opt,name=usernameClaim"`

	// UsernamePrefix is put before user names; "-" puts nothing.
	UsernamePrefix *string `json:"usernamePrefix,omitempty" protobuf:"bytes,10,opt,name=usernamePrefix"`
}

// OpenIDConnectClientAuthentication is how a client gets tokens.
type OpenIDConnectClientAuthentication struct {
	// ExtraConfig are further settings of the client.
	ExtraConfig map[string]string `json:"extraConfig,omitempty" protobuf:"bytes,1,rep,name=extraConfig"`

	// Secret is the secret of the client.
	Secret *string `json:"secret,omitempty" protobuf:"bytes,2,opt,name=secret"`
}

// AdmissionPlugin is an admission plugin to add, to configure or to switch off.
type AdmissionPlugin struct {
	// Name is the name of the plugin.
	Name string `json:"name" protobuf:"bytes,1,opt,name=name"`

	// Config is the configuration of the plugin.
	// +kubebuilder:pruning:PreserveUnknownFields
	Config *runtime.RawExtension `json:"config,omitempty" protobuf:"bytes,2,opt,name=config"`

	// Disabled switches the plugin off.
	Disabled *bool `json:"disabled,omitempty" protobuf:"varint,3,opt,name=disabled"`

	// KubeconfigSecretName is a Secret with the key kubeconfig, for plugins that call a webhook.
	KubeconfigSecretName *string `json:"kubeconfigSecretName,omitempty" protobuf:"bytes,4,opt,name=kubeconfigSecretName"`
}

// WatchCacheSizes are the sizes of the watch caches.
type WatchCacheSizes struct {
	// Default is the size for resources that are not listed; 0 switches the cache off.
	Default *int32 `json:"default,omitempty" protobuf:"varint,1,opt,name=default"`

	// Resources are sizes for single resources.
	// +listType=atomic
	Resources []ResourceWatchCacheSize `json:"resources,omitempty" protobuf:"bytes,2,rep,name=resources"`
}

// ResourceWatchCacheSize is the size of the watch cache of a resource.
type ResourceWatchCacheSize struct {
	// APIGroup is the API group of the resource; the core group if unset.
	APIGroup *string `json:"apiGroup,omitempty" protobuf:"bytes,1,opt,name=apiGroup"`

	// Resource is the lower-case plural name of the resource.
	Resource string `json:"resource" protobuf:"bytes,2,opt,name=resource"`

	// CacheSize is the size of the cache.
	CacheSize int32 `json:"size" protobuf:"varint,3,opt,name=size"`
}
