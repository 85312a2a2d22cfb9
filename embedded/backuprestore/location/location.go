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

// Providers whose buckets are in an object store.
const (
	// S3 is the protocol of AWS, which other object stores speak, too.
	S3 = "s3"
	// GCS is Google Cloud Storage.
	GCS = "gcs"
	// ABS is Azure Blob Storage.
	ABS = "abs"
)

// infrastructures have an object store, which Etcds may name by the infrastructure, too.
var infrastructures = map[string]string{"aws": S3, "gcp": GCS, "azure": ABS}

// Remote returns the object store of a provider, which members reach with credentials. It is false for providers that have none that
// members can use.
func Remote(provider string) (store string, remote bool) {
	name := strings.ToLower(provider)
	if store, known := infrastructures[name]; known {
		return store, true
	}
	return name, slices.Contains(Stores(), name)
}

// Stores are the object stores.
func Stores() []string { return []string{S3, GCS, ABS} }

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
