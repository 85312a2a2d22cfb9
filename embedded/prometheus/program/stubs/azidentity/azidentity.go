// Package azidentity takes the place of the logins to Azure, which are not built in. All fail.
package azidentity

import (
	"errors"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore"
)

var errNotBuiltIn = errors.New("logins to Azure are not built in")

// ClientID names an identity.
type ClientID string

// Options of the logins.
type (
	ManagedIdentityCredentialOptions struct {
		azcore.ClientOptions
		ID ClientID
	}
	WorkloadIdentityCredentialOptions struct {
		azcore.ClientOptions
		ClientID, TenantID, TokenFilePath string
	}
	ClientSecretCredentialOptions struct{ azcore.ClientOptions }
	DefaultAzureCredentialOptions struct {
		azcore.ClientOptions
		TenantID string
	}
)

// NewManagedIdentityCredential fails.
func NewManagedIdentityCredential(*ManagedIdentityCredentialOptions) (azcore.TokenCredential, error) {
	return nil, errNotBuiltIn
}

// NewWorkloadIdentityCredential fails.
func NewWorkloadIdentityCredential(*WorkloadIdentityCredentialOptions) (azcore.TokenCredential, error) {
	return nil, errNotBuiltIn
}

// NewClientSecretCredential fails.
func NewClientSecretCredential(_, _, _ string, _ *ClientSecretCredentialOptions) (azcore.TokenCredential, error) {
	return nil, errNotBuiltIn
}

// NewDefaultAzureCredential fails.
func NewDefaultAzureCredential(*DefaultAzureCredentialOptions) (azcore.TokenCredential, error) {
	return nil, errNotBuiltIn
}
