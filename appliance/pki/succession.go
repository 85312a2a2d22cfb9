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
		file := name + nextSuffix + ".key"
		if made, err := rotationOf(r.path(file)); err == nil && made == rotation {
			return r.noteNext(name)
		}
		_, text, err := newKeyOf(rotation)
		if err != nil {
			return err
		}
		return errors.Join(WriteFile(r.path(file), text), r.noteNext(name))
	})
}

// noteNext tells of the key of a next authority that clients will trust long before it signs.
func (r Rotation) noteNext(name string) error {
	file := name + nextSuffix + ".key"
	if !isLasting(file) {
		return nil
	}
	next, err := r.PKI.next(name)
	if err != nil {
		return err
	}
	noted, err := fingerprint(next.Key)
	if err != nil {
		return err
	}
	return r.Note(file, noted)
}

// dropNext removes what is left of a next authority that is the present one now.
func (r Rotation) dropNext(name string) error {
	key, crt := name+nextSuffix+".key", name+nextSuffix+".crt"
	if isLasting(key) {
		if err := r.Note(key); err != nil {
			return err
		}
	}
	return r.remove(key, crt)
}

// UseNextClientAuthorities lets the next authorities sign client certificates, and issues again all of them that the landscape needs. The
// former ones are trusted on. Whoever verifies such certificates must trust the next ones already.
func (r Rotation) UseNextClientAuthorities(rotation string) error {
	return r.ofAuthorities(clientAuthorities(), func(name string) error { return r.useNext(rotation, name) })
}

// UseNextServerAuthority does the same for serving certificates.
func (r Rotation) UseNextServerAuthority(rotation string) error {
	return r.ofAuthorities([]string{serverAuthority}, func(name string) error { return r.useNext(rotation, name) })
}

// DropFormerAuthorities leaves only the authorities that sign.
func (r Rotation) DropFormerAuthorities() error {
	return r.ofAuthorities(rotating(), func(name string) error { return r.remove(name + formerSuffix) })
}

// ServerIssuer is the certificate of the authority that signs serving certificates of the garden, in PEM format.
func (r Rotation) ServerIssuer() ([]byte, error) {
	return os.ReadFile(r.path(serverAuthority + ".crt"))
}

// ClientIssuer is the certificate of the authority that signs client certificates of the garden, in PEM format.
func (r Rotation) ClientIssuer() ([]byte, error) {
	return os.ReadFile(r.path(clientAuthority + ".crt"))
}

func (r Rotation) useNext(rotation, name string) error {
	key, crt, nextKey := name+".key", name+".crt", name+nextSuffix+".key"
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
		if err := r.Note(key, before); err != nil {
			return err
		}
		return r.dropNext(name)
	}
	if made, err := rotationOf(r.path(nextKey)); err != nil {
		return err
	} else if made != rotation {
		return fmt.Errorf("the next authority is that of rotation %q, not of %q", made, rotation)
	}
	next, err := r.PKI.next(name)
	if err != nil {
		return err
	}
	after, err := fingerprint(next.Key)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(r.path(nextKey))
	if err != nil {
		return err
	}
	for _, step := range []func() error{ // each state between two steps is one that Ensure completes
		func() error { return r.PKI.keepFormerAuthority(name, present.Cert) },
		func() error { return r.Note(key, before, after) },
		func() error { return WriteFile(r.path(key), text) },
		func() error { return writeCertificates(r.path(crt), next.Cert) },
		func() error { return r.Note(key, after) },
		func() error { return r.dropNext(name) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
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

func (r Rotation) remove(names ...string) error {
	for _, name := range names {
		if err := os.Remove(r.path(name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
