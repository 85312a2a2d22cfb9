// Package oidcwebhook verifies tokens of identity providers for an API server. Each OpenIDConnect of the cluster is one
// provider; they come and go while the server runs. The API server posts TokenReviews to /validate-token.
//
// Tokens are verified by the packages that kube-apiserver itself uses for its built-in provider. Providers are chosen by
// users of the cluster, so this package decides which addresses they may have, and what names their users cannot have.
package oidcwebhook
