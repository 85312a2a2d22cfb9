// Package option takes the place of that of the client library of Google, which is not built in.
package option

import "golang.org/x/oauth2/google"

// ClientOption is ignored.
type ClientOption struct{}

// WithScopes is ignored.
func WithScopes(...string) ClientOption { return ClientOption{} }

// WithCredentialsFile is ignored.
func WithCredentialsFile(string) ClientOption { return ClientOption{} }

// WithCredentials is ignored.
func WithCredentials(*google.Credentials) ClientOption { return ClientOption{} }
