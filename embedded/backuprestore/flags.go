package backuprestore

import (
	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/store"
)

// addSourceKeys adds the flag for the keys of snapshots that were copied from another store.
func addSourceKeys(cmd *cobra.Command, config *store.Config) {
	cmd.Flags().StringVar(&config.SourceCredentials, "source-store-credentials", "", "directory with the files of the Secret of the store that snapshots were copied from, whose encryptionKey decrypts them, too; it need not exist")
}

// addStore adds the flags that tell where snapshots are. A prefix for the names of flags tells two stores apart.
func addStore(cmd *cobra.Command, config *store.Config, prefix string) {
	flags := cmd.Flags()
	flags.StringVar(&config.Provider, prefix+"store-provider", "", "kind of bucket: local, S3, GCS (Google) or ABS (Azure); no backups if empty")
	flags.StringVar(&config.Container, prefix+"store-container", "", "name of the bucket")
	flags.StringVar(&config.Prefix, prefix+"store-prefix", "", "prefix of the snapshots in the bucket")
	flags.StringVar(&config.Credentials, prefix+"store-credentials", "", "directory with the files of the Secret of the store: encryptionKey, secret keys of age that encrypt snapshots, the first one, and decrypt them; for object stores accessKeyID, secretAccessKey, region, endpoint, s3ForcePathStyle, trustedCaCert for S3; serviceaccount.json, storageAPIEndpoint for GCS; storageAccount, storageKey, domain for ABS")
	flags.StringVar(&config.Dir, prefix+"store-dir", "", "directory of all buckets, for provider local")
}
