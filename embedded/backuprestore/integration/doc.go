// Package integration tests members of an etcd in processes of their own, which it kills, and whose data it destroys.
package integration
