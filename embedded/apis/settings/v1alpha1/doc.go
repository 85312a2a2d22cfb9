// Package v1alpha1 holds the kinds of settings.gardener.cloud, presets for the authentication in new shoots.
// Defaults live beside the types; validation and helpers live in embedded/apivalidation and embedded/apihelper. It
// imports only k8s.io modules and may be imported by everyone.
//
// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=com.github.gardener.gardener.pkg.apis.settings.v1alpha1
// +groupName=settings.gardener.cloud
package v1alpha1
