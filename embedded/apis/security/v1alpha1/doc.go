// Package v1alpha1 holds the kinds of security.gardener.cloud: bindings to credentials, and identities that need
// none. Defaults live beside the types; validation and helpers live in embedded/apivalidation and
// embedded/apihelper. It imports only k8s.io modules and may be imported by everyone.
//
// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=com.github.gardener.gardener.pkg.apis.security.v1alpha1
// +groupName=security.gardener.cloud
package v1alpha1
