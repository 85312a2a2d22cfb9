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
