package v1alpha1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// GardenerDashboardConfig deploys the dashboard.
type GardenerDashboardConfig struct {
	// EnableTokenLogin lets users log in with a token.
	// +kubebuilder:default=true
	EnableTokenLogin *bool `json:"enableTokenLogin,omitempty"`
	// FrontendConfigMapRef names the configuration of the pages.
	FrontendConfigMapRef *corev1.LocalObjectReference `json:"frontendConfigMapRef,omitempty"`
	// AssetsConfigMapRef names pictures of the pages.
	AssetsConfigMapRef *corev1.LocalObjectReference `json:"assetsConfigMapRef,omitempty"`
	// GitHub shows tickets.
	GitHub *DashboardGitHub `json:"gitHub,omitempty"`
	// LogLevel is the log level.
	// +kubebuilder:default=info
	// +kubebuilder:validation:Enum=trace;debug;info;warn;error
	LogLevel *string `json:"logLevel,omitempty"`
	// OIDCConfig lets users log in at a provider.
	OIDCConfig *DashboardOIDC `json:"oidcConfig,omitempty"`
	// Terminal configures terminals.
	Terminal *DashboardTerminal `json:"terminal,omitempty"`
	// Domain is the DNS domain of the dashboard.
	Domain *DNSDomain `json:"domain,omitempty"`
	// TLSSecretName is the Secret with its certificate.
	TLSSecretName *string `json:"tlsSecretName,omitempty"`
	// Ingress says whether it is reached from outside.
	Ingress *DashboardIngress `json:"ingress,omitempty"`
	// PropagateCAFromSNI shows users the authority of the certificate for further names.
	PropagateCAFromSNI *bool `json:"propagateCAFromSNI,omitempty"`
}

// DashboardGitHub shows tickets.
type DashboardGitHub struct {
	// APIURL is where the API is.
	// +kubebuilder:default="https://api.github.com"
	// +kubebuilder:validation:MinLength=1
	APIURL string `json:"apiURL"`
	// Organisation is the owner of the repository.
	// +kubebuilder:validation:MinLength=1
	Organisation string `json:"organisation"`
	// Repository is the repository.
	// +kubebuilder:validation:MinLength=1
	Repository string `json:"repository"`
	// SecretRef names the credentials.
	SecretRef corev1.LocalObjectReference `json:"secretRef"`
	// PollInterval is how often tickets are read.
	// +kubebuilder:default="15m"
	PollInterval *metav1.Duration `json:"pollInterval,omitempty"`
}

// DashboardOIDC lets users log in at a provider.
type DashboardOIDC struct {
	// ClientIDPublic is the public client, for command lines.
	// +kubebuilder:validation:MinLength=1
	ClientIDPublic *string `json:"clientIDPublic,omitempty"`
	// IssuerURL is the provider.
	// +kubebuilder:validation:MinLength=1
	IssuerURL *string `json:"issuerURL,omitempty"`
	// SessionLifetime is how long users stay logged in.
	SessionLifetime *metav1.Duration `json:"sessionLifetime,omitempty"`
	// AdditionalScopes are further scopes.
	// +listType=atomic
	AdditionalScopes []string `json:"additionalScopes,omitempty"`
	// SecretRef names the credentials of the client.
	SecretRef corev1.LocalObjectReference `json:"secretRef"`
	// CertificateAuthoritySecretRef names the authority of the provider's certificate.
	CertificateAuthoritySecretRef *corev1.LocalObjectReference `json:"certificateAuthoritySecretRef,omitempty"`
}

// DashboardTerminal configures terminals.
type DashboardTerminal struct {
	// Container is what runs in a terminal.
	Container DashboardTerminalContainer `json:"container"`
	// AllowedHosts are further hosts that terminals may reach.
	// +listType=atomic
	AllowedHosts []string `json:"allowedHosts,omitempty"`
}

// DashboardTerminalContainer is what runs in a terminal.
type DashboardTerminalContainer struct {
	// Image is the image.
	Image string `json:"image"`
	// Description says what is in it.
	Description *string `json:"description,omitempty"`
}

// DashboardIngress says whether the dashboard is reached from outside.
type DashboardIngress struct {
	// Enabled switches it on.
	// +kubebuilder:default=true
	Enabled *bool `json:"enabled,omitempty"`
}
