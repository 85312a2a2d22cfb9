package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// NoPrefix as a prefix adds none to names.
const NoPrefix = "-"

// OpenIDConnect is a provider of tokens whose users may log in to the cluster.
//
// +kubebuilder:object:root=true
// +kubebuilder:resource:path=openidconnects,singular=openidconnect,scope=Cluster,shortName=oidc;oidcs
// +kubebuilder:printcolumn:name="Issuer",type=string,JSONPath=`.spec.issuerURL`
// +kubebuilder:printcolumn:name="Client",type=string,JSONPath=`.spec.clientID`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type OpenIDConnect struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// Spec says how tokens of the provider are verified and read.
	Spec OpenIDConnectSpec `json:"spec"`
}

// OpenIDConnectSpec says how tokens of a provider are verified and read.
type OpenIDConnectSpec struct {
	// IssuerURL is the URL of the provider, as in the claim iss of its tokens.
	// +kubebuilder:validation:MaxLength=2048
	// +kubebuilder:validation:Pattern=`^https://[^/?#@\s]+(/[^?#\s]*)?$`
	IssuerURL string `json:"issuerURL"`
	// ClientID is the audience that tokens must have.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=2048
	ClientID string `json:"clientID"`
	// UsernameClaim is the claim with the name of the user.
	// +kubebuilder:default=sub
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +optional
	UsernameClaim *string `json:"usernameClaim,omitempty"`
	// UsernamePrefix precedes names of users. It defaults to the name of the object and a slash; "-" means no prefix.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	UsernamePrefix *string `json:"usernamePrefix,omitempty"`
	// GroupsClaim is the claim with the groups of the user.
	// +kubebuilder:default=groups
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=256
	// +optional
	GroupsClaim *string `json:"groupsClaim,omitempty"`
	// GroupsPrefix precedes names of groups. It defaults to the name of the object and a slash; "-" means no prefix.
	// +kubebuilder:validation:MaxLength=256
	// +optional
	GroupsPrefix *string `json:"groupsPrefix,omitempty"`
	// SupportedSigningAlgs are the algorithms of signatures that are accepted.
	// +kubebuilder:default={RS256}
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=9
	// +optional
	SupportedSigningAlgs []SigningAlgorithm `json:"supportedSigningAlgs,omitempty"`
	// RequiredClaims are claims that tokens must have, with exactly these values.
	// +kubebuilder:validation:MaxProperties=64
	// +optional
	RequiredClaims map[string]string `json:"requiredClaims,omitempty"`
	// CABundle verifies the server of the provider, in PEM. Without it the machine's own authorities do.
	// +kubebuilder:validation:MaxLength=262144
	// +optional
	CABundle []byte `json:"caBundle,omitempty"`
}

// SigningAlgorithm is an algorithm of signatures.
//
// +kubebuilder:validation:Enum=RS256;RS384;RS512;ES256;ES384;ES512;PS256;PS384;PS512
type SigningAlgorithm string

// OpenIDConnectList is a list of OpenIDConnects.
//
// +kubebuilder:object:root=true
type OpenIDConnectList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []OpenIDConnect `json:"items"`
}
