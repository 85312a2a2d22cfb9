package app

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/archive/sealed"
	"github.com/gardener-up/gardener-up/appliance/backup/depot"
)

// addKeys adds the flags of what decrypts a backup.
func addKeys(cmd *cobra.Command, files *sealed.Files) {
	cmd.Flags().StringVar(&files.Keys, "key", "", `file of the secret key of an encrypted backup, as "gardener backup key" writes it`)
	cmd.Flags().StringVar(&files.Passphrase, "passphrase-file", "", "file with the passphrase of an encrypted backup")
	cmd.MarkFlagsMutuallyExclusive("key", "passphrase-file")
	_ = cmd.MarkFlagFilename("key")
	_ = cmd.MarkFlagFilename("passphrase-file")
}

// unusableKey is an error of a file with keys, which never tells a key.
func unusableKey(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return &exitError{code: codeNotFound, err: err, hint: `"gardener backup key FILE" makes a key`}
	}
	return usageError(err, `"gardener backup key FILE" makes a secret key and prints the public one; nothing was changed`)
}

// hintOfPlace is what to look at when a place of backups cannot be used.
func hintOfPlace(location string) string {
	if depot.IsURL(location) {
		return "look at the name of the bucket, at the settings in the URL, and at the credentials in the environment"
	}
	return "look at the name and the rights of the file"
}

func newBackupKey() *cobra.Command {
	cmd := &cobra.Command{
		Use: "key FILE", Short: "Make a key that decrypts backups", Args: needs("a file that does not exist"),
		Long: `Make a key that decrypts backups. FILE gets the secret key, and the public key is printed: who has it can encrypt backups, and read none. Keep the
secret key away from the landscape: without it, encrypted backups are lost. Both are keys of age (age-encryption.org).`,
		Example: `  gardener backup key backup.key > backup.pub`,
		RunE: func(cmd *cobra.Command, args []string) error {
			secret, public, err := sealed.NewKey()
			if err != nil {
				return err
			}
			file, err := os.OpenFile(args[0], os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
			if errors.Is(err, fs.ErrExist) {
				return usageError(fmt.Errorf("%s exists, and may be the key of backups", args[0]), "name another file")
			}
			if err != nil {
				return cured(err, "look at the name and the rights of the file")
			}
			_, err = file.WriteString(secret)
			if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), public)
			return err
		},
	}
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault
	}
	return cmd
}
