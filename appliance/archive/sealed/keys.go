package sealed

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"filippo.io/age"
)

// maxFile bounds a file of keys.
const maxFile = 64 << 10

// Recipients is for whom archives are encrypted. The zero value encrypts nothing.
type Recipients struct{ all []age.Recipient }

// Keys decrypt archives. The zero value decrypts nothing.
type Keys struct{ all []age.Identity }

// Some tells whether there is a recipient.
func (r Recipients) Some() bool { return len(r.all) > 0 }

// Some tells whether there is a key.
func (k Keys) Some() bool { return len(k.all) > 0 }

// Files are the files with keys that a user names. At most one is not empty.
type Files struct {
	// Keys has public keys to encrypt, one a line, or secret keys to decrypt.
	Keys string
	// Passphrase has a passphrase, for both.
	Passphrase string
}

var errBoth = errors.New("a backup has keys or a passphrase, not both")

// Recipients reads for whom to encrypt.
func (f Files) Recipients() (Recipients, error) {
	text, err := f.read()
	switch {
	case err != nil || text == "":
		return Recipients{}, err
	case f.Passphrase != "":
		one, err := age.NewScryptRecipient(text)
		if err == nil {
			one.SetWorkFactor(work)
		}
		return Recipients{[]age.Recipient{one}}, err
	}
	all, err := age.ParseRecipients(strings.NewReader(text))
	if err != nil {
		return Recipients{}, fmt.Errorf("read public keys in %s: %w", f.Keys, err)
	}
	return Recipients{all}, nil
}

// Secrets reads with which keys to decrypt. Errors have no part of a key.
func (f Files) Secrets() (Keys, error) {
	text, err := f.read()
	switch {
	case err != nil || text == "":
		return Keys{}, err
	case f.Passphrase != "":
		one, err := age.NewScryptIdentity(text)
		if err == nil {
			one.SetMaxWorkFactor(maxWork)
		}
		return Keys{[]age.Identity{one}}, err
	}
	all, err := age.ParseIdentities(strings.NewReader(text))
	if err != nil {
		return Keys{}, fmt.Errorf("%s has no secret keys of age, which begin with AGE-SECRET-KEY-", f.Keys)
	}
	return Keys{all}, nil
}

// work makes it take about a second to try a passphrase. Tests take less.
var work = 18

// maxWork bounds what somebody who has written an archive makes us compute: 2^20 steps take some seconds.
const maxWork = 20

// read reads the one file that is named. It is empty without one.
func (f Files) read() (string, error) {
	if f.Keys != "" && f.Passphrase != "" {
		return "", errBoth
	}
	name := f.Keys + f.Passphrase
	if name == "" {
		return "", nil
	}
	file, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxFile+1))
	if err != nil {
		return "", err
	}
	trimmed := strings.TrimRight(string(text), "\r\n")
	switch {
	case len(text) > maxFile:
		return "", fmt.Errorf("%s has more than %d bytes", name, maxFile)
	case strings.TrimSpace(trimmed) == "":
		return "", fmt.Errorf("%s is empty", name)
	case f.Passphrase != "" && strings.Contains(trimmed, "\n"):
		return "", fmt.Errorf("%s has more than the one line of a passphrase", name)
	}
	return trimmed, nil
}

// NewKey makes a secret key, as the content of a file, and its public key.
func NewKey() (secret, public string, err error) {
	made, err := age.GenerateX25519Identity()
	if err != nil {
		return "", "", err
	}
	public = made.Recipient().String()
	return "# public key: " + public + "\n" + made.String() + "\n", public, nil
}
