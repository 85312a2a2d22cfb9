package sealed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"filippo.io/age"

	"github.com/gardener-up/gardener-up/appliance/archive"
)

// Errors of Open.
var (
	// ErrLocked means that an archive is encrypted, and no key was named.
	ErrLocked = errors.New("the archive is encrypted")
	// ErrKey means that no key fits.
	ErrKey = errors.New("the archive is encrypted for another key or with another passphrase")
	// ErrPlain means that keys were named for an archive that is not encrypted: whoever expects an encrypted one may have got another one.
	ErrPlain = errors.New("the archive is not encrypted, although a key was named")
)

// magic is how files of age begin.
var magic = []byte("age-encryption.org/v1\n")

// Writer encrypts what is written to it. Close ends the archive, and leaves the writer below open.
func (r Recipients) Writer(w io.Writer) (io.WriteCloser, error) {
	if !r.Some() {
		return open{w}, nil
	}
	return age.Encrypt(w, r.all...)
}

// open writes what is not encrypted.
type open struct{ io.Writer }

func (open) Close() error { return nil }

// Encrypted tells whether an archive is encrypted, and returns a reader for all of it.
func Encrypted(r io.Reader) (bool, io.Reader, error) {
	in := bufio.NewReader(r)
	begin, err := in.Peek(len(magic))
	if err != nil && !errors.Is(err, io.EOF) {
		return false, nil, err
	}
	return bytes.Equal(begin, magic), in, nil
}

// Reader decrypts an archive. It refuses one that is encrypted without a key, and one that is not with a key. What was changed is an error of
// reading, before anything of it is returned.
func (k Keys) Reader(r io.Reader) (io.Reader, error) {
	encrypted, in, err := Encrypted(r)
	switch {
	case err != nil:
		return nil, err
	case !encrypted && k.Some():
		return nil, ErrPlain
	case !encrypted:
		return in, nil
	case !k.Some():
		return nil, ErrLocked
	}
	content, err := age.Decrypt(in, k.all...)
	if _, none := errors.AsType[*age.NoIdentityMatchError](err); none {
		return nil, ErrKey
	}
	if _, ofFile := errors.AsType[*fs.PathError](err); ofFile {
		return nil, err
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", archive.ErrDamaged, err)
	}
	return content, nil
}
