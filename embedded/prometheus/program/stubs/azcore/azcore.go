// Package azcore takes the place of the client library of Azure, which is not built in. It has only what Prometheus' configuration names.
package azcore

import (
	"context"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/azcore/cloud"
	"github.com/Azure/azure-sdk-for-go/sdk/azcore/policy"
)

// AccessToken is never made.
type AccessToken struct {
	Token     string
	ExpiresOn time.Time
}

// TokenCredential has no implementation.
type TokenCredential interface {
	GetToken(ctx context.Context, options policy.TokenRequestOptions) (AccessToken, error)
}

// ClientOptions are ignored.
type ClientOptions struct{ Cloud cloud.Configuration }
