// Package snapshotter backs up a running etcd: full snapshots by schedule, deltas by time and size. It also deletes old
// snapshots, and defragments by schedule.
package snapshotter
