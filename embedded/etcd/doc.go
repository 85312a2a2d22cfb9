// Package etcd runs single-member etcds inside this process, and the complete etcd as a component. It does not know
// what is stored in etcd. It makes no certificates and no backups.
package etcd
