package config

import (
	"errors"
	"path/filepath"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/gardener-up/gardener-up/appliance/archive/sealed"
)

// DefaultKeptBackups is how many backups of a schedule are kept.
const DefaultKeptBackups = int32(7)

// Backup makes backups of the whole landscape on a schedule.
type Backup struct {
	// Schedule is a cron expression with five fields, in the time zone of the machine, or such as @daily. A backup that was missed, because the
	// landscape did not run, is made when it runs again.
	Schedule string `json:"schedule"`
	// To is the absolute path of a directory, or the URL of a bucket.
	To string `json:"to"`
	// Keep is how many of the newest backups of the landscape stay there. Default 7.
	Keep *int32 `json:"keep,omitempty"`
	// EncryptToFile is the absolute path of a file of public keys for which backups are encrypted.
	EncryptToFile string `json:"encryptToFile,omitempty"`
	// PassphraseFile is the absolute path of a file with a passphrase that encrypts backups. Without both, they are not encrypted.
	PassphraseFile string `json:"passphraseFile,omitempty"`
}

// Next returns the schedule. It fails for one that never comes, such as that of 30 February.
func (b *Backup) Next() (cron.Schedule, error) {
	times, err := cron.ParseStandard(b.Schedule)
	if err != nil {
		return nil, err
	}
	if times.Next(time.Now()).IsZero() {
		return nil, errors.New("matches no day of the next five years")
	}
	return times, nil
}

// Encryption is how backups are encrypted.
func (b *Backup) Encryption() sealed.Files {
	return sealed.Files{Keys: b.EncryptToFile, Passphrase: b.PassphraseFile}
}

func validateBackup(at *field.Path, b *Backup, provider string) field.ErrorList {
	if b == nil {
		return nil
	}
	var errs field.ErrorList
	if provider != ProviderEmbedded {
		errs = append(errs, field.Forbidden(at, "landscapes with provider "+provider+" keep state in containers and are not backed up"))
	}
	if b.Schedule == "" {
		errs = append(errs, field.Required(at.Child("schedule"), "must be a cron expression"))
	} else if _, err := b.Next(); err != nil {
		errs = append(errs, field.Invalid(at.Child("schedule"), b.Schedule, err.Error()))
	}
	isBucket := strings.HasPrefix(b.To, "s3://") || strings.HasPrefix(b.To, "azblob://") || strings.HasPrefix(b.To, "file:///")
	if !isBucket && !filepath.IsAbs(b.To) {
		errs = append(errs, field.Invalid(at.Child("to"), b.To, "must be an absolute path, or the URL of a bucket that begins with s3:// or azblob://"))
	}
	if *b.Keep < 1 {
		errs = append(errs, field.Invalid(at.Child("keep"), *b.Keep, "must be at least 1"))
	}
	if b.EncryptToFile != "" && b.PassphraseFile != "" {
		return append(errs, field.Forbidden(at.Child("passphraseFile"), "backups are encrypted for keys or by a passphrase, not both"))
	}
	read := func(string) error { _, err := b.Encryption().Recipients(); return err }
	for name, file := range map[string]string{"encryptToFile": b.EncryptToFile, "passphraseFile": b.PassphraseFile} {
		if file != "" {
			errs = append(errs, validateFile(at.Child(name), file, read)...)
		}
	}
	return errs
}
