// Package constants holds names that clients and controllers of the Gardener API share: labels, annotations with
// their values, finalizers, namespaces, users, Secrets and their keys. One file per topic. Condition types and
// error codes are beside the types in the parent package.
package constants
