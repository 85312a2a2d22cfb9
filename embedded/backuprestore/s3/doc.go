// Package s3 is a driver of gocloud.dev/blob for buckets of object stores that speak the protocol of S3. It knows what snapshots need:
// listing, reading, writing in parts and deleting. It is far smaller than the client libraries of the clouds, which would be
// a part of every process of this binary.
package s3
