// Package v1alpha1 holds the kinds of the group druid.gardener.cloud: an Etcd is one etcd cluster with its backups, an
// EtcdCopyBackupsTask copies backups between two stores, an EtcdOpsTask is done once. It holds types and constants only; anyone may import it.
//
// +kubebuilder:object:generate=true
// +groupName=druid.gardener.cloud
package v1alpha1
