// Package policy takes the place of that of the client library of Azure.
package policy

// TokenRequestOptions are sent to nobody.
type TokenRequestOptions struct{ Scopes []string }
