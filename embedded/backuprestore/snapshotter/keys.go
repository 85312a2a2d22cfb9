package snapshotter

import (
	"errors"
	"fmt"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"
)

// ErrPlain means that a snapshot would not be encrypted though those before it are, and nobody has said so.
var ErrPlain = errors.New("the newest full snapshot is encrypted, but the Secret of the store has no key")

// keys are those for a new snapshot. A Secret that has lost its key must not end the encryption: somebody may have written it anew for other credentials, or the
// control plane moved to a seed without a key.
func (s *session) keys() (encryption.Keys, error) {
	keys, err := s.config.Store.Keys()
	if err != nil || keys.Encrypt() || keys.None() {
		return keys, err
	}
	if full := s.State().LastFull; full != nil && full.Encrypted {
		return keys, fmt.Errorf("%w: add a secret key of age as %s to the Secret of the Seed's backup, or write %s: %s there if snapshots are not to be encrypted any longer",
			ErrPlain, encryption.Key, encryption.Key, encryption.None)
	}
	return keys, nil
}
