package ledger

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/appliance/store"
)

// lostKeys compares the keys with the ledger.
func lostKeys(p paths.Paths, ledger store.Ledger) (losses []loss) {
	for _, key := range pki.LastingKeys() {
		want, noted := ledger.Keys[key.File]
		if !noted {
			continue
		}
		found, err := key.Fingerprint(p.PKI())
		what := ""
		switch {
		case errors.Is(err, fs.ErrNotExist):
			what = " is missing"
		case err != nil:
			what = " is damaged"
		case !isOneOf(found, want):
			what = " is another key than this landscape had"
		default:
			continue
		}
		file := filepath.Join(p.PKI(), key.File)
		losses = append(losses, loss{what: relative(p, file) + what, without: key.Without, copied: copiedKey(p, key, want)})
	}
	return losses
}

// alternatives is how the ledger notes that a key has one of several fingerprints.
func alternatives(fingerprints []string) string { return strings.Join(fingerprints, " ") }

func isOneOf(fingerprint, noted string) bool {
	return slices.Contains(strings.Fields(noted), fingerprint)
}

// copiedKey is the command that puts back a key from a copy that was made before an upgrade, or empty if no copy has it.
func copiedKey(p paths.Paths, key pki.LastingKey, want string) string {
	for _, dir := range paths.Match(p.Upgrade(""), filepath.Join("2*", filepath.Base(p.PKI()))) {
		if found, err := key.Fingerprint(dir); err == nil && isOneOf(found, want) {
			return putBack(filepath.Join(dir, key.File), filepath.Join(p.PKI(), key.File))
		}
	}
	return ""
}

// presentKeys are the fingerprints of the keys that exist.
func presentKeys(p paths.Paths) (map[string]string, error) {
	keys := map[string]string{}
	for _, key := range pki.LastingKeys() {
		found, err := key.Fingerprint(p.PKI())
		if errors.Is(err, fs.ErrNotExist) {
			continue // the directory of an own seed has no garden
		}
		if err != nil {
			return nil, err
		}
		keys[key.File] = found
	}
	return keys, nil
}
