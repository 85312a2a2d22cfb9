package store

import (
	"context"

	"gocloud.dev/blob"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/s3"
)

// openS3 opens a bucket of an object store. It reads the credentials again for each request.
func openS3(_ context.Context, config Config) (*blob.Bucket, func(string) error, error) {
	bucket, err := s3.Open(config.Container, func() (s3.Credentials, error) { return s3.ReadCredentials(config.Credentials) })
	return bucket, nil, err
}
