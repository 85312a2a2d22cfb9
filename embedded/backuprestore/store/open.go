package store

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"gocloud.dev/blob"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/location"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
)

// Config configures where the snapshots of an etcd are stored.
type Config struct {
	// Provider of the bucket, as in the Etcd: local, S3, GCS, ABS, or an infrastructure with such buckets. It is case-insensitive.
	Provider string
	// Container is the name of the bucket.
	Container string
	// Prefix of the names of the etcd's snapshots in the bucket.
	Prefix string
	// Dir is the directory of all buckets of provider local.
	Dir string
	// Credentials is the directory of the files of a Secret: the credentials of the other providers, and the keys that encrypt snapshots.
	Credentials string
	// SourceCredentials is the directory of the files of the Secret of the store that snapshots were copied from. Its keys decrypt, too. It need not exist.
	SourceCredentials string
	// Secret has the data of the Secret, if there is no such directory.
	Secret map[string][]byte
}

// secret reads the credentials.
func (c Config) secret() secretfiles.Source {
	if c.Credentials == "" {
		return secretfiles.Data(c.Secret)
	}
	return secretfiles.Dir(c.Credentials)
}

// opener opens the bucket of a provider. The second result makes an object durable, and may be nil.
type opener func(context.Context, Config) (*blob.Bucket, func(key string) error, error)

var openers = map[string]opener{location.Local: openLocal, location.S3: openS3, location.GCS: openGCS, location.ABS: openABS}

// open is nil for unknown providers.
func (c Config) open() opener {
	if store, remote := location.Remote(c.Provider); remote {
		return openers[store]
	}
	return openers[strings.ToLower(c.Provider)]
}

// ErrUnsupported means that this binary has no driver for the provider.
var ErrUnsupported = errors.New("this binary has no driver for backup buckets of the provider")

// Open checks the configuration and opens the bucket. It may not reach the bucket before the first use.
func Open(ctx context.Context, config Config) (*Store, error) {
	if err := config.Validate(); err != nil {
		return nil, err
	}
	bucket, settle, err := config.open()(ctx, config)
	if err != nil {
		return nil, fmt.Errorf("open bucket %q of provider %q: %w", config.Container, config.Provider, err)
	}
	return &Store{bucket: bucket, prefix: config.Prefix, settle: settle, config: config}, nil
}

// Validate refuses unknown providers, and names that refer to a place outside of the bucket.
func (c Config) Validate() error {
	if c.open() == nil {
		return fmt.Errorf("%w %q: it has those of %s, %s", ErrUnsupported, c.Provider, location.Local, strings.Join(location.Stores(), ", "))
	}
	return location.Check(c.Container, c.Prefix)
}
