// Package snapshots backs up the etcds of the landscape itself into its state directory, and restores them. It does in this process what
// the sidecar of the etcd of a shoot does, with the same code and the same format.
package snapshots
