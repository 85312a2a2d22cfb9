package store

import (
	"context"

	"gocloud.dev/blob"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/azure"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/gcs"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/s3"
)

// openS3 opens a bucket of an object store with the protocol of S3. All object stores read the credentials again for each request.
func openS3(_ context.Context, config Config) (*blob.Bucket, func(string) error, error) {
	bucket, err := s3.Open(config.Container, func() (s3.Credentials, error) { return s3.ReadCredentials(config.secret()) })
	return bucket, nil, err
}

// openGCS opens a bucket of Google Cloud Storage.
func openGCS(_ context.Context, config Config) (*blob.Bucket, func(string) error, error) {
	bucket, err := gcs.Open(config.Container, config.secret())
	return bucket, nil, err
}

// openABS opens a container of Azure Blob Storage.
func openABS(ctx context.Context, config Config) (*blob.Bucket, func(string) error, error) {
	bucket, err := azure.Open(ctx, config.Container, config.secret())
	return bucket, nil, err
}
