package pki

import (
	"crypto/x509"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// verifies tells whether the certificates in a file let a leaf in, as TLS does it.
func verifies(t *testing.T, trusted, leaf string) bool {
	t.Helper()
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM([]byte(read(t, trusted))) {
		t.Fatalf("%s has no certificates", trusted)
	}
	cert, err := certificate.Parse([]byte(leaf))
	if err != nil {
		t.Fatal(err)
	}
	_, err = cert.Verify(x509.VerifyOptions{Roots: pool, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
	return err == nil
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

func TestSuccessionOfAuthorities(t *testing.T) {
	t.Run("OPR-29 client certificates of both authorities are trusted, until the former one is dropped", func(t *testing.T) {
		r, told := newRotation(t)
		c := ensure(t, r.PKI).Garden
		old, server := read(t, c.Appliance.Cert), read(t, c.Server.Cert)
		must(t, r.TrustNextAuthorities("one"))
		if read(t, c.Appliance.Cert) != old {
			t.Error("the next authority signs before anybody trusts it")
		}
		next, err := r.PKI.next("garden/client-ca")
		must(t, err)
		probe, err := next.Sign(&x509.Certificate{NotAfter: time.Now().Add(time.Hour)}, next.Cert.PublicKey)
		must(t, err)
		if !verifies(t, c.ClientCA, old) || !verifies(t, c.ClientCA, string(certificate.Encode(probe))) {
			t.Error("the present and the next authority are not both trusted")
		}
		must(t, r.TrustNextAuthorities("one"), r.UseNextClientAuthorities("one"), r.UseNextClientAuthorities("one"), r.TrustNextAuthorities("one"))
		fresh := read(t, c.Appliance.Cert)
		if fresh == old || !verifies(t, c.ClientIssuer, fresh) || !verifies(t, c.ClientCA, old) || !verifies(t, c.ClientCA, fresh) {
			t.Error("clients have no certificates of the new authority, or the old ones are not trusted")
		}
		if read(t, c.Server.Cert) != server {
			t.Error("a server has another certificate before all clients trust its authority")
		}
		must(t, r.UseNextServerAuthority("one"))
		if serving := read(t, c.Server.Cert); serving == server || !verifies(t, c.CA, serving) || !verifies(t, c.CA, server) {
			t.Error("the server has no certificate of the new authority, or the old one is not trusted")
		}
		must(t, r.DropFormerAuthorities(), r.DropFormerAuthorities())
		if verifies(t, c.ClientCA, old) || verifies(t, c.CA, server) || !verifies(t, c.ClientCA, fresh) || !verifies(t, c.CA, read(t, c.Server.Cert)) {
			t.Error("the former authorities are trusted still, or the new ones are not")
		}
		for _, file := range []string{"garden/client-ca.key", "garden/front-proxy-ca.key", "garden/ca.key"} {
			if last := told[file][len(told[file])-1]; len(last) != 1 || last[0] != r.fingerprint(t, file) {
				t.Errorf("of %s it was told at last %v, it is %s", file, last, r.fingerprint(t, file))
			}
		}
		if notes := told["garden/ca.next.key"]; len(notes) < 2 || len(notes[0]) != 1 || len(notes[len(notes)-1]) != 0 {
			t.Errorf("of the next authority of servers it was told %v, want its fingerprint, and at last that nobody needs it", notes)
		}
		left, err := filepath.Glob(filepath.Join(r.PKI.dir, "garden", "*.next.*"))
		must(t, err)
		if len(left) > 0 {
			t.Errorf("left are %v", left)
		}
		if name := mustCertificate(t, c.ClientIssuer).Subject.CommonName; name != "garden-client-ca-one" {
			t.Errorf("the new authority is %q", name)
		}
	})
	t.Run("OPR-29 an interrupted change of authorities goes on where it was", func(t *testing.T) {
		for name, interrupted := range map[string]string{"before the key": "garden/client-ca.key", "after the key": "garden/front-proxy-ca.key"} {
			t.Run(name, func(t *testing.T) {
				r, _ := newRotation(t)
				c := ensure(t, r.PKI).Garden
				old := read(t, c.Appliance.Cert)
				must(t, r.TrustNextAuthorities("one"))
				note := r.Note
				r.Note = func(file string, fingerprints ...string) error {
					if file == interrupted {
						return errBoom
					}
					return note(file, fingerprints...)
				}
				if err := r.UseNextClientAuthorities("one"); !errors.Is(err, errBoom) {
					t.Fatal(err)
				}
				r.Note = note
				r.PKI = New(r.PKI.dir, r.PKI.hosts, time.Now) // as after a crash
				ensure(t, r.PKI)
				if !verifies(t, c.ClientCA, old) || !verifies(t, c.ClientCA, read(t, c.Appliance.Cert)) {
					t.Error("after a crash a client certificate is refused")
				}
				must(t, r.TrustNextAuthorities("one"), r.UseNextClientAuthorities("one"))
				if !verifies(t, c.ClientCA, old) || !verifies(t, c.ClientIssuer, read(t, c.Appliance.Cert)) {
					t.Error("the rotation did not go on")
				}
			})
		}
	})
	t.Run("OPR-29 no authority signs without having been trusted for the same rotation", func(t *testing.T) {
		r, _ := newRotation(t)
		must(t, r.TrustNextAuthorities("one"))
		if err := r.UseNextClientAuthorities("two"); err == nil || !strings.Contains(err.Error(), `"one"`) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("OPR-29 a renewal keeps both authorities, and a damaged list of former ones is named", func(t *testing.T) {
		r, _ := newRotation(t)
		c := ensure(t, r.PKI).Garden
		old := read(t, c.Appliance.Cert)
		must(t, r.TrustNextAuthorities("one"), r.UseNextClientAuthorities("one"), os.Remove(c.ClientCA), os.Remove(c.ClientIssuer))
		ensure(t, r.PKI)
		if !verifies(t, c.ClientCA, old) || !verifies(t, c.ClientCA, read(t, c.Appliance.Cert)) {
			t.Error("what was removed did not come back")
		}
		must(t, os.WriteFile(filepath.Join(r.PKI.dir, "garden", "client-ca.former"), []byte("half"), 0o600))
		if _, err := r.PKI.Ensure(); err == nil || !strings.Contains(err.Error(), "client-ca.former") || !strings.Contains(err.Error(), "backup") {
			t.Errorf("error %v", err)
		}
	})
}

func mustCertificate(t *testing.T, file string) *x509.Certificate {
	t.Helper()
	cert, err := readCertificate(file)
	must(t, err)
	return cert
}
