// Package v1 holds the one kind of core.gardener.cloud/v1, ControllerDeployment in its newer form. Defaults live
// beside the types; validation and helpers live in embedded/apivalidation and embedded/apihelper. It imports only
// k8s.io modules and may be imported by everyone.
//
// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=com.github.gardener.gardener.pkg.apis.core.v1
// +groupName=core.gardener.cloud
package v1
