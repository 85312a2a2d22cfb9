package pki

import (
	"crypto/tls"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestEnsure(t *testing.T) {
	dir := t.TempDir()
	now := time.Now()
	p := New(dir, Hosts{GardenAPI: []string{"api.example.org"}, GardenerAPI: []string{"discovery.example.org"}, Seed: "local"}, func() time.Time { return now })
	first := ensure(t, p)
	if _, err := tls.LoadX509KeyPair(first.Garden.Server.Cert, first.Garden.Server.Key); err != nil {
		t.Fatal(err)
	}
	server := read(t, first.Garden.Server.Cert)
	cert, err := readCertificate(first.Garden.Server.Cert)
	if err != nil || cert.VerifyHostname("api.example.org") != nil || cert.VerifyHostname("127.0.0.1") != nil {
		t.Errorf("the garden's serving certificate lacks a host: %v, %v", cert.DNSNames, cert.IPAddresses)
	}
	cert, err = readCertificate(first.GardenerAPI.Cert)
	if err != nil || cert.VerifyHostname("discovery.example.org") != nil || cert.VerifyHostname("127.0.0.1") != nil {
		t.Errorf("the Gardener API's serving certificate lacks a host: %v, %v", cert.DNSNames, cert.IPAddresses)
	}

	t.Run("OIDC-5 only a garden with a webhook for tokens has certificates for it", func(t *testing.T) {
		if first.TokenWebhook != (TokenWebhook{}) {
			t.Errorf("certificates: %+v", first.TokenWebhook)
		}
		with := ensure(t, New(t.TempDir(), Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local", TokenWebhook: &WebhookUsers{Webhook: "webhook", Caller: "caller"}}, time.Now))
		for want, pair := range map[string]Pair{"webhook": with.TokenWebhook.User, "caller": with.TokenWebhook.Caller} {
			if cert, err := readCertificate(pair.Cert); err != nil || cert.Subject.CommonName != want || len(cert.Subject.Organization) > 0 {
				t.Errorf("certificate of %s: %v, %v", want, cert, err)
			}
		}
		if cert, err := readCertificate(with.TokenWebhook.Server.Cert); err != nil || cert.VerifyHostname("127.0.0.1") != nil {
			t.Errorf("serving certificate: %v, %v", cert, err)
		}
	})
	t.Run("a second call changes nothing", func(t *testing.T) {
		if diff := cmp.Diff(first, ensure(t, p)); diff != "" {
			t.Error(diff)
		}
		if read(t, first.Garden.Server.Cert) != server {
			t.Error("certificate was made anew")
		}
	})
	t.Run("a changed host makes a new certificate", func(t *testing.T) {
		other := New(dir, Hosts{GardenAPI: []string{"api.example.net"}, Seed: "local"}, func() time.Time { return now })
		ensure(t, other)
		if read(t, first.Garden.Server.Cert) == server {
			t.Error("certificate was kept")
		}
	})
	t.Run("a leaf is renewed before it expires and its authority stays", func(t *testing.T) {
		ca, before := read(t, first.Garden.CA), read(t, first.Garden.ControllerManager.Cert)
		now = now.Add(leafValidity - 30*24*time.Hour)
		ensure(t, p)
		if read(t, first.Garden.ControllerManager.Cert) == before {
			t.Error("leaf was not renewed")
		}
		if read(t, first.Garden.CA) != ca {
			t.Error("authority was renewed too early")
		}
	})
	t.Run("a renewed authority keeps its key, so that old leafs stay valid", func(t *testing.T) {
		old, err := readCertificate(first.Garden.ControllerManager.Cert)
		if err != nil {
			t.Fatal(err)
		}
		ca := read(t, first.Garden.ClientCA)
		now = now.Add(authorityValidity - leafValidity)
		ensure(t, p)
		if read(t, first.Garden.ClientCA) == ca {
			t.Fatal("authority was not renewed")
		}
		renewed, err := readCertificate(first.Garden.ClientCA)
		if err != nil {
			t.Fatal(err)
		}
		if err := old.CheckSignatureFrom(renewed); err != nil {
			t.Error(err)
		}
	})
	t.Run("what was made while the clock was ahead is made anew when the clock is right", func(t *testing.T) {
		right := now
		now = now.Add(authorityValidity)
		ahead := ensure(t, p)
		now = right
		ensure(t, p)
		for _, file := range []string{ahead.Garden.CA, ahead.Garden.Server.Cert, ahead.Seed.ClientCA, ahead.Etcd.Server.Cert} {
			cert, err := readCertificate(file)
			if err != nil {
				t.Fatal(err)
			}
			if now.Before(cert.NotBefore) {
				t.Errorf("%s is valid from %s, now is %s", file, cert.NotBefore, now)
			}
		}
	})
	t.Run("APP-4 damaged certificates and keys that can be made again are made again", func(t *testing.T) {
		for _, file := range []string{first.Etcd.CA, first.Etcd.Server.Cert, first.Etcd.Server.Key, first.Garden.CA, first.Garden.Server.Key} {
			if err := os.WriteFile(file, []byte("half"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		ensure(t, p)
		if _, err := tls.LoadX509KeyPair(first.Etcd.Server.Cert, first.Etcd.Server.Key); err != nil {
			t.Error(err)
		}
	})
	t.Run("APP-4 a damaged key that cannot be made again is an error that names the file", func(t *testing.T) {
		if err := os.WriteFile(first.Garden.CAKey, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := p.Ensure(); err == nil || !strings.Contains(err.Error(), first.Garden.CAKey) || !strings.Contains(err.Error(), "backup") {
			t.Errorf("error is %v", err)
		}
	})
}

func ensure(t *testing.T, p *PKI) *Bundle {
	t.Helper()
	b, err := p.Ensure()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func read(t *testing.T, file string) string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
