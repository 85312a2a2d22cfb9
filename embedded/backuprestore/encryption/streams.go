package encryption

import (
	"errors"
	"fmt"
	"io"

	"filippo.io/age"
)

// ErrKey means that the key is missing for which a snapshot is encrypted. Its text names the public key.
var ErrKey = errors.New("the secret key is missing")

type plain struct{ io.Writer }

func (plain) Close() error { return nil }

// Writer encrypts what is written to it for the first key, if there is one. Close ends the snapshot, and does not close w.
func (k Keys) Writer(w io.Writer) (io.WriteCloser, error) {
	if !k.Encrypt() {
		return plain{w}, nil
	}
	return age.Encrypt(w, named{k.encrypts.String()}, k.encrypts)
}

// Reader decrypts a snapshot. The error is ErrKey if none of the keys fits. All others mean that the snapshot is damaged, unless they come from r. What was
// changed or cut off is an error of reading.
func (k Keys) Reader(r io.Reader) (io.Reader, error) {
	name := &name{}
	all := []age.Identity{name}
	for _, one := range k.decrypt {
		all = append(all, one)
	}
	content, err := age.Decrypt(r, all...)
	if _, none := errors.AsType[*age.NoIdentityMatchError](err); !none {
		return content, err
	}
	return nil, k.mismatch(name.public)
}

// mismatch is the error of a snapshot that says for which key it is encrypted. If that key is there, or if it is no key, then what it says is damaged.
func (k Keys) mismatch(public string) error {
	if public == "" {
		return fmt.Errorf("%w: the snapshot does not say for which public key it is encrypted; add the key to %s in the Secret of the store", ErrKey, Key)
	}
	if _, err := age.ParseX25519Recipient(public); err != nil {
		return errors.New("the name of its key is damaged")
	}
	for _, one := range k.decrypt {
		if one.Recipient().String() == public {
			return errors.New("it cannot be decrypted by the key for which it is encrypted")
		}
	}
	return fmt.Errorf("%w: the snapshot is encrypted for the public key %s; add its secret key to %s in the Secret of the store", ErrKey, public, Key)
}
