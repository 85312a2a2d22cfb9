// Package location names the place of an etcd's snapshots. It is a leaf: who starts an etcd checks the names with it.
package location

import (
	"fmt"
	"path"
	"slices"
	"strings"
)

// Local is the provider whose buckets are directories. Upper and lower case do not matter in names of providers.
const Local = "local"

// S3 is the provider whose buckets are in an object store that speaks the protocol of S3. AWS is the name of the infrastructure with such
// buckets.
const (
	S3  = "s3"
	AWS = "aws"
)

// Remote reports whether buckets of a provider are in an object store that members reach with credentials.
func Remote(provider string) bool {
	return strings.EqualFold(provider, S3) || strings.EqualFold(provider, AWS)
}

// Check refuses names of buckets and prefixes that lead out of a bucket.
func Check(container, prefix string) error {
	if container == "" || container == "." || container == ".." || strings.ContainsAny(container, `/\`) {
		return fmt.Errorf("%q cannot be the name of a bucket", container)
	}
	if prefix == "" || path.Clean("/"+prefix) != "/"+prefix || slices.Contains(strings.Split(prefix, "/"), "..") || strings.Contains(prefix, `\`) {
		return fmt.Errorf("%q cannot be a prefix of snapshots", prefix)
	}
	return nil
}
