// Package integration tests members of an etcd in separate processes. The tests kill these processes and destroy their data.
package integration
