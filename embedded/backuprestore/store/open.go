package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gocloud.dev/blob"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
)

// Config configures where the snapshots of an etcd are stored.
type Config struct {
	// Provider of the bucket, as in the Etcd: local, or S3. It is case-insensitive.
	Provider string
	// Container is the name of the bucket.
	Container string
	// Prefix of the names of the etcd's snapshots in the bucket.
	Prefix string
	// Dir is the directory of all buckets of provider local.
	Dir string
	// Credentials is the directory of the files of a Secret, for the other providers.
	Credentials string
}

// opener opens the bucket of a provider. The second result makes an object durable, and may be nil.
type opener func(context.Context, Config) (*blob.Bucket, func(key string) error, error)

// openers by the names that infrastructures and etcd-druid use for providers, in lower case.
var openers = map[string]opener{location.Local: openLocal, location.S3: openS3, location.AWS: openS3}

// ErrUnsupported means that this binary has no driver for the provider.
var ErrUnsupported = errors.New("this binary has no driver for backup buckets of the provider")

// Open checks the configuration and opens the bucket. It may not reach the bucket before the first use.
func Open(ctx context.Context, config Config) (*Store, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	bucket, settle, err := openers[strings.ToLower(config.Provider)](ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open bucket %q of provider %q: %w", config.Container, config.Provider, err)
	}
	return &Store{bucket: bucket, prefix: config.Prefix, settle: settle}, nil
}

// Validate refuses unknown providers, and names that refer to a place outside of the bucket.
func (c Config) Validate() error {
	if openers[strings.ToLower(c.Provider)] == nil {
		return fmt.Errorf("%w %q", ErrUnsupported, c.Provider)
	}
	return location.Check(c.Container, c.Prefix)
}
