// Package etcd runs single-member etcds inside this process, and the whole of etcd as a component of its own.
// It knows nothing about what is stored in it, makes no certificates and takes no backups.
package etcd
