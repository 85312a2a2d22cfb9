package snapshotter

import "github.com/gardener-up/gardener-up/embedded/backuprestore/encryption"

// keys are those for a new snapshot. They do not end the encryption unless somebody has said so.
func (s *session) keys() (encryption.Keys, error) {
	keys, err := s.config.Store.Keys()
	if err != nil {
		return keys, err
	}
	full := s.State().LastFull
	return keys, keys.Continue(full != nil && full.Encrypted)
}
