package pki

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// TrustNextAuthorities makes the authorities that come after the present ones of the garden. They are trusted and sign nothing yet.
func (r Rotation) TrustNextAuthorities(rotation string) error {
	return r.ofAuthorities(rotating(), func(name string) error {
		present, err := rotationOf(r.path(name + ".key"))
		if err != nil || present == rotation {
			return err
		}
		file := r.path(name + nextSuffix + ".key")
		if made, err := rotationOf(file); err == nil && made == rotation {
			return nil
		}
		_, text, err := newKeyOf(rotation)
		if err != nil {
			return err
		}
		return WriteFile(file, text)
	})
}

// UseNextClientAuthorities lets the next authorities sign client certificates, and issues all of them again that the landscape needs. The
// former ones are trusted on. Whoever verifies client certificates must trust the next ones already.
func (r Rotation) UseNextClientAuthorities(rotation string) error {
	return r.useNext(rotation, clientAuthorities()...)
}

// UseNextServerAuthority does the same for serving certificates.
func (r Rotation) UseNextServerAuthority(rotation string) error {
	return r.useNext(rotation, serverAuthority)
}

// DropFormerAuthorities leaves only the authorities that sign.
func (r Rotation) DropFormerAuthorities() error {
	return r.ofAuthorities(rotating(), func(name string) error { return remove(r.path(name + formerSuffix)) })
}

// ClientIssuer is the certificate of the authority that signs client certificates of the garden, in PEM format.
func (r Rotation) ClientIssuer() ([]byte, error) {
	return os.ReadFile(r.path(clientAuthorities()[0] + ".crt"))
}

func (r Rotation) useNext(rotation string, names ...string) error {
	return r.ofAuthorities(names, func(name string) error {
		key, crt, next := name+".key", name+".crt", name+nextSuffix
		present, err := r.PKI.loadAuthority(name)
		if err != nil {
			return err
		}
		before, err := fingerprint(present.Key)
		if err != nil {
			return err
		}
		if made, err := rotationOf(r.path(key)); err != nil {
			return err
		} else if made == rotation {
			return errors.Join(r.Note(key, before), remove(r.path(next+".key"), r.path(next+".crt")))
		}
		if made, err := rotationOf(r.path(next + ".key")); err != nil {
			return err
		} else if made != rotation {
			return fmt.Errorf("the next authority is that of rotation %q, not of %q", made, rotation)
		}
		successor, err := r.PKI.next(name)
		if err != nil {
			return err
		}
		after, err := fingerprint(successor.Key)
		if err != nil {
			return err
		}
		text, err := os.ReadFile(r.path(next + ".key"))
		if err != nil {
			return err
		}
		if err := r.PKI.keepFormerAuthority(name, present.Cert); err != nil {
			return err
		}
		if err := r.Note(key, before, after); err != nil {
			return err
		}
		if err := WriteFile(r.path(key), text); err != nil {
			return err
		}
		if err := writeCertificates(r.path(crt), successor.Cert); err != nil {
			return err
		}
		return errors.Join(r.Note(key, after), remove(r.path(next+".key"), r.path(next+".crt")))
	})
}

// ofAuthorities changes authorities and then makes everything that follows from them.
func (r Rotation) ofAuthorities(names []string, change func(name string) error) error {
	r.PKI.mu.Lock()
	defer r.PKI.mu.Unlock()
	for _, name := range names {
		if err := change(name); err != nil {
			return fmt.Errorf("rotate the authority %s: %w", name, err)
		}
	}
	_, err := r.PKI.ensureAll()
	return err
}

func (r Rotation) path(name string) string { return filepath.Join(r.PKI.dir, name) }

func remove(files ...string) error {
	for _, file := range files {
		if err := os.Remove(file); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
