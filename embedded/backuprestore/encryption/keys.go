package encryption

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"filippo.io/age"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/secretfiles"
)

// Key is the name of the value in the Secret of a store.
const Key = constants.DataKeyBackupEncryption

// Keys encrypt and decrypt snapshots. The zero value encrypts and decrypts nothing.
type Keys struct {
	encrypts *age.X25519Recipient
	decrypt  []*age.X25519Identity
	none     bool
}

// None is the line before the keys that says that new snapshots are not to be encrypted, also after encrypted ones.
const None = "none"

// Encrypt tells whether snapshots are encrypted.
func (k Keys) Encrypt() bool { return k.encrypts != nil }

// None tells whether the Secret says that new snapshots are not to be encrypted. Without a value it does not: the value may have been lost.
func (k Keys) None() bool { return k.none }

// ErrPlain means that a snapshot would not be encrypted though those before it are, and nobody has said so.
var ErrPlain = errors.New("the snapshots before are encrypted, but the Secret of the store has no key")

// Continue returns ErrPlain if the keys would end the encryption silently. encrypted tells whether the snapshots before are encrypted. A Secret that has lost its key must
// not end it: somebody may have written it anew for other credentials, or the control plane moved to a seed without a key.
func (k Keys) Continue(encrypted bool) error {
	if !encrypted || k.Encrypt() || k.None() {
		return nil
	}
	return fmt.Errorf("%w: add a secret key of age as %s to the Secret of the Seed's backup, or write %s: %s there if snapshots are not to be encrypted any longer",
		ErrPlain, Key, Key, None)
}

// Also adds keys that decrypt, and encrypt nothing.
func (k Keys) Also(more Keys) Keys {
	k.decrypt = append(k.decrypt[:len(k.decrypt):len(k.decrypt)], more.decrypt...)
	return k
}

// Read reads the keys in a Secret. A Secret without the value has none.
func Read(from secretfiles.Source) (Keys, error) {
	text, err := from(Key)
	if errors.Is(err, fs.ErrNotExist) {
		return Keys{}, nil
	}
	if err != nil {
		return Keys{}, fmt.Errorf("read %s in the Secret of the store: %w", Key, err)
	}
	return Parse(text)
}

// Parse reads keys of age, one a line, or None and then keys that only decrypt. Empty lines and those that begin with # have none. Errors have no part of a key.
func Parse(text []byte) (Keys, error) {
	var out Keys
	number := 0
	for line := range bytes.Lines(text) {
		number++
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		if string(line) == None && len(out.decrypt) == 0 {
			out.none = true
			continue
		}
		one, err := age.ParseX25519Identity(string(line))
		if err != nil {
			return Keys{}, fmt.Errorf("line %d of %s in the Secret of the store is no secret key of age, which begins with AGE-SECRET-KEY-1", number, Key)
		}
		out.decrypt = append(out.decrypt, one)
	}
	if out.none {
		return out, nil
	}
	if len(out.decrypt) == 0 {
		return Keys{}, fmt.Errorf("%s in the Secret of the store has no key: write a secret key of age, or %q if snapshots are not to be encrypted", Key, None)
	}
	out.encrypts = out.decrypt[0].Recipient()
	return out, nil
}
