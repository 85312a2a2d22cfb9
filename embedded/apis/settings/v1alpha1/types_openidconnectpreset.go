package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// OpenIDConnectPreset is OpenID Connect configuration for new shoots of a namespace.
type OpenIDConnectPreset struct {
	metav1.TypeMeta `json:",inline"`

	// ObjectMeta is the standard object metadata.
	metav1.ObjectMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Spec is the desired state.
	Spec OpenIDConnectPresetSpec `json:"spec" protobuf:"bytes,2,opt,name=spec"`
}

// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object

// OpenIDConnectPresetList is a list of OpenIDConnectPreset objects.
type OpenIDConnectPresetList struct {
	metav1.TypeMeta `json:",inline"`

	// ListMeta is the standard list metadata.
	metav1.ListMeta `json:"metadata,omitempty" protobuf:"bytes,1,opt,name=metadata"`

	// Items are the objects of the list.
	Items []OpenIDConnectPreset `json:"items" protobuf:"bytes,2,rep,name=items"`
}

// OpenIDConnectPresetSpec is the desired state of an OpenIDConnectPreset.
type OpenIDConnectPresetSpec struct {
	// Server is the configuration of the API server.
	Server KubeAPIServerOpenIDConnect `json:"server" protobuf:"bytes,1,opt,name=server"`

	// Client is how clients get tokens; has no effect any more.
	Client *OpenIDConnectClientAuthentication `json:"client,omitempty" protobuf:"bytes,2,opt,name=client"`

	// ShootSelector selects the shoots; all by default.
	ShootSelector *metav1.LabelSelector `json:"shootSelector,omitempty" protobuf:"bytes,3,opt,name=shootSelector"`

	// Weight decides among several presets, 1 to 100; the highest wins.
	Weight int32 `json:"weight" protobuf:"varint,4,opt,name=weight"`
}

// KubeAPIServerOpenIDConnect is the OpenID Connect configuration of an API server.
type KubeAPIServerOpenIDConnect struct {
	// CABundle is a PEM bundle to verify the provider with.
	CABundle *string `json:"caBundle,omitempty" protobuf:"bytes,1,opt,name=caBundle"`

	// ClientID is the client the tokens must be issued for.
	ClientID string `json:"clientID" protobuf:"bytes,2,opt,name=clientID"`

	// GroupsClaim is the claim with the user's groups.
	GroupsClaim *string `json:"groupsClaim,omitempty" protobuf:"bytes,3,opt,name=groupsClaim"`

	// GroupsPrefix is put before group names.
	GroupsPrefix *string `json:"groupsPrefix,omitempty" protobuf:"bytes,4,opt,name=groupsPrefix"`

	// IssuerURL is the https URL of the provider.
	IssuerURL string `json:"issuerURL" protobuf:"bytes,5,opt,name=issuerURL"`

	// RequiredClaims are claims a token must have.
	RequiredClaims map[string]string `json:"requiredClaims,omitempty" protobuf:"bytes,6,rep,name=requiredClaims"`

	// SigningAlgs are the accepted signature algorithms; RS256 by default.
	// +listType=set
	SigningAlgs []string `json:"signingAlgs,omitempty" protobuf:"bytes,7,rep,name=signingAlgs"`

	// UsernameClaim is the claim with the user name; sub by default.
	UsernameClaim *string `json:"usernameClaim,omitempty" protobuf:"bytes,8,opt,name=usernameClaim"`

	// UsernamePrefix is put before user names.
	UsernamePrefix *string `json:"usernamePrefix,omitempty" protobuf:"bytes,9,opt,name=usernamePrefix"`
}

// OpenIDConnectClientAuthentication is how a client gets tokens.
type OpenIDConnectClientAuthentication struct {
	// Secret is the secret of the client.
	Secret *string `json:"secret,omitempty" protobuf:"bytes,1,opt,name=secret"`

	// ExtraConfig are further settings of the client.
	ExtraConfig map[string]string `json:"extraConfig,omitempty" protobuf:"bytes,2,rep,name=extraConfig"`
}
