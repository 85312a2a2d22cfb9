// Package delta is the format of delta snapshots: all changes of an etcd between two revisions.
//
// A delta is a sequence of records. A record is a byte with its type, the length as a varint, and a protobuf message: an event
// of etcd, or the time to live of a lease that events refer to. The last record is the SHA-256 of all bytes before it, so a
// delta that was cut off or changed is recognized.
package delta
