package backup

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/appliance/archive"
	"github.com/gardener-up/gardener-up/appliance/backup/depot"
)

const (
	// suffix of the names of archives, and of those that are encrypted.
	suffix          = ".tar.zst"
	suffixEncrypted = suffix + ".age"
	// stamp is the time in the name of an archive.
	stamp = "20060102T150405Z"
)

func isArchive(name string) bool {
	return strings.HasSuffix(name, suffix) || strings.HasSuffix(name, suffixEncrypted)
}

// ErrName means that the name of an archive does not say whether it is encrypted.
var ErrName = errors.New("the name of a backup ends with " + suffix + ", and with " + suffixEncrypted + " if it is encrypted")

// target is the directory or the bucket of an archive that is made, and its name there.
func (c Creation) target(header archive.Header) (where, name string, err error) {
	if !isArchive(strings.SplitN(c.To, "?", 2)[0]) {
		return c.To, c.name(header), depot.Check(c.To)
	}
	where, name, err = depot.Split(c.To)
	if err == nil && strings.HasSuffix(name, suffixEncrypted) != c.Recipients.Some() {
		err = ErrName
	}
	return where, name, err
}

// name is that of an archive. Nobody can see without a key of whom an encrypted one is, so its name says that without the identity itself.
func (c Creation) name(header archive.Header) string {
	name := header.Landscape + "-" + header.Created.Format(stamp)
	if c.Recipients.Some() {
		return name + "-" + ownerOf(header.Identity) + suffixEncrypted
	}
	return name + suffix
}

// parsed reads the name of an encrypted archive. All is empty for another name.
func parsed(name string) (landscape string, created time.Time, owner string) {
	parts := strings.Split(strings.TrimSuffix(name, suffixEncrypted), "-")
	if len(parts) < 3 {
		return "", time.Time{}, ""
	}
	last := len(parts) - 1
	created, err := time.Parse(stamp, parts[last-1])
	if err != nil {
		return "", time.Time{}, ""
	}
	return strings.Join(parts[:last-1], "-"), created, parts[last]
}

func ownerOf(identity string) string {
	sum := sha256.Sum256([]byte("owner of a backup: " + identity))
	return hex.EncodeToString(sum[:6])
}
