// Package v1alpha1 holds the kind of operations.gardener.cloud, the Bastion. Defaults live beside the types;
// validation and helpers live in embedded/apivalidation and embedded/apihelper. It imports only k8s.io modules and
// may be imported by everyone.
//
// +k8s:deepcopy-gen=package
// +k8s:defaulter-gen=TypeMeta
// +k8s:openapi-gen=true
// +k8s:openapi-model-package=com.github.gardener.gardener.pkg.apis.operations.v1alpha1
// +groupName=operations.gardener.cloud
package v1alpha1
