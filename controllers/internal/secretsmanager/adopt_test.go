package secretsmanager_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

// foreign is an authority with an RSA key, as other installations have it.
func foreign(t *testing.T, change func(*x509.Certificate)) map[string][]byte {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		Subject: pkix.Name{CommonName: "from elsewhere"}, NotBefore: start.Add(-time.Hour), NotAfter: start.Add(1000 * time.Hour),
		BasicConstraintsValid: true, IsCA: true, KeyUsage: x509.KeyUsageCertSign,
	}
	if change != nil {
		change(template)
	}
	cert, err := certificate.SignSelf(template, key)
	if err != nil {
		t.Fatal(err)
	}
	return map[string][]byte{
		"ca.crt": certificate.Encode(cert),
		"ca.key": pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(key)}),
	}
}

// label creates a Secret whose data the configuration is to take.
func (w *world) label(name, config string, data map[string][]byte) {
	w.t.Helper()
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: w.namespace, Name: name, Labels: map[string]string{secretsmanager.LabelUseDataForName: config}}, Data: data}
	if err := cluster.Create(w.t.Context(), secret); err != nil {
		w.t.Fatal(err)
	}
}

func TestAdoption(t *testing.T) {
	raw := []byte(strings.Repeat("k", 32))
	authority := foreign(t, nil)
	keep := []secretsmanager.Option{secretsmanager.Persist(), secretsmanager.Rotate(secretsmanager.KeepOld)}
	for name, tc := range map[string]struct {
		config     secretsmanager.Config
		data, want map[string][]byte
	}{
		"OPR-31 an authority with its key":                 {secretsmanager.Certificate{Name: "ca", CommonName: "kubernetes", Usage: secretsmanager.CA}, authority, authority},
		"OPR-31 so that of clients":                        {secretsmanager.Certificate{Name: "ca-client", CommonName: "c", Usage: secretsmanager.CA}, authority, authority},
		"OPR-31 so that of the front proxy":                {secretsmanager.Certificate{Name: "ca-front-proxy", CommonName: "f", Usage: secretsmanager.CA}, authority, authority},
		"OPR-31 the key of service accounts":               {secretsmanager.Key{Name: "service-account-key"}, map[string][]byte{"id_rsa": authority["ca.key"]}, map[string][]byte{"id_rsa": authority["ca.key"]}},
		"OPR-31 the encryption key of the API server":      {secretsmanager.EncryptionKey{Name: "kube-apiserver-etcd-encryption-key", Bytes: 32}, map[string][]byte{"key": []byte("key1"), "secret": []byte(base64.StdEncoding.EncodeToString(raw))}, map[string][]byte{"key": []byte("key1"), "secret": []byte(base64.StdEncoding.EncodeToString(raw))}},
		"OPR-31 that of Gardener's API server, in its raw": {secretsmanager.EncryptionKey{Name: "gardener-apiserver-etcd-encryption-key", Bytes: 32}, map[string][]byte{"key": []byte("key1"), "secret": raw, "encoding": []byte("none")}, map[string][]byte{"key": []byte("key1"), "secret": []byte(base64.StdEncoding.EncodeToString(raw))}},
	} {
		t.Run(name+" is taken over", func(t *testing.T) {
			w := newWorld(t)
			w.label("from-elsewhere", nameOf(tc.config), tc.data)
			first := w.generate(w.manager(), tc.config, keep...)
			got := map[string][]byte{}
			for key := range tc.want {
				got[key] = first.Data[key]
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("data (-want +got):\n%s", diff)
			}
			if again := w.generate(w.manager(), tc.config, keep...); again.Name != first.Name {
				t.Errorf("another run uses %q, not %q", again.Name, first.Name)
			}
		})
	}
}

// nameOf is the name of a configuration.
func nameOf(config secretsmanager.Config) string {
	switch config := config.(type) {
	case secretsmanager.Certificate:
		return config.Name
	case secretsmanager.Key:
		return config.Name
	case secretsmanager.EncryptionKey:
		return config.Name
	}
	return ""
}

func TestAdoptedAuthority(t *testing.T) {
	w, authority := newWorld(t), foreign(t, nil)
	ca := secretsmanager.Certificate{Name: "ca", CommonName: "kubernetes", Usage: secretsmanager.CA}
	keep := []secretsmanager.Option{secretsmanager.Persist(), secretsmanager.Rotate(secretsmanager.KeepOld)}
	w.label("from-elsewhere", "ca", authority)
	m := w.manager()
	w.generate(m, ca, keep...)
	t.Run("OPR-31 it signs certificates, and its bundle is trusted", func(t *testing.T) {
		leaf := w.generate(m, secretsmanager.Certificate{Name: "server", CommonName: "server", DNSNames: []string{"api"}, Usage: secretsmanager.Server}, secretsmanager.SignedBy("ca"))
		block, _ := pem.Decode(leaf.Data["tls.crt"])
		cert, err := x509.ParseCertificate(block.Bytes)
		if err != nil {
			t.Fatal(err)
		}
		trusted := x509.NewCertPool()
		trusted.AppendCertsFromPEM(m.Bundle("ca").Data["bundle.crt"])
		if _, err := cert.Verify(x509.VerifyOptions{Roots: trusted, DNSName: "api"}); err != nil || cert.Issuer.CommonName != "from elsewhere" {
			t.Errorf("issued by %s: %v", cert.Issuer, err)
		}
	})
	t.Run("OPR-31 a rotation makes another authority, and trusts the former one", func(t *testing.T) {
		w.rotations["ca"] = start.Add(time.Hour)
		w.clock.SetTime(start.Add(time.Hour))
		m := w.manager()
		if next := w.generate(m, ca, keep...); string(next.Data["ca.crt"]) == string(authority["ca.crt"]) {
			t.Error("the authority is the same")
		}
		if !strings.Contains(string(m.Bundle("ca").Data["bundle.crt"]), strings.TrimSpace(string(authority["ca.crt"]))) {
			t.Error("the former authority is not trusted")
		}
	})
	t.Run("OPR-31 other configurations take nothing over", func(t *testing.T) {
		w := newWorld(t)
		w.label("from-elsewhere", "ca-etcd", authority)
		if got := w.generate(w.manager(), secretsmanager.Certificate{Name: "ca-etcd", CommonName: "etcd", Usage: secretsmanager.CA}, keep...); string(got.Data["ca.crt"]) == string(authority["ca.crt"]) {
			t.Error("the authority of etcd is from elsewhere")
		}
	})
}

func TestRefusedAdoption(t *testing.T) {
	good, other := foreign(t, nil), foreign(t, nil)
	ca := secretsmanager.Certificate{Name: "ca", CommonName: "kubernetes", Usage: secretsmanager.CA}
	key, encryption := secretsmanager.Key{Name: "service-account-key"}, secretsmanager.EncryptionKey{Name: "kube-apiserver-etcd-encryption-key", Bytes: 32}
	for name, tc := range map[string]struct {
		config secretsmanager.Config
		data   map[string][]byte
		want   string
	}{
		"OPR-31 a certificate that is no authority":      {ca, foreign(t, func(c *x509.Certificate) { c.IsCA = false }), "not that of an authority"},
		"OPR-31 an authority without its key":            {ca, map[string][]byte{"ca.crt": good["ca.crt"]}, `"ca.key" is missing`},
		"OPR-31 an authority with the key of another":    {ca, map[string][]byte{"ca.crt": good["ca.crt"], "ca.key": other["ca.key"]}, "does not belong to the certificate"},
		"OPR-31 an authority that has expired":           {ca, foreign(t, func(c *x509.Certificate) { c.NotAfter = start.Add(-time.Minute) }), "has expired"},
		"OPR-31 an authority that is not valid yet":      {ca, foreign(t, func(c *x509.Certificate) { c.NotBefore = start.Add(time.Hour) }), "not valid before"},
		"OPR-31 a bundle of authorities":                 {ca, map[string][]byte{"ca.crt": append(good["ca.crt"], other["ca.crt"]...), "ca.key": good["ca.key"]}, "several certificates"},
		"OPR-31 what is no certificate":                  {ca, map[string][]byte{"ca.crt": []byte("x"), "ca.key": good["ca.key"]}, `"ca.crt"`},
		"OPR-31 what is no key":                          {key, map[string][]byte{"id_rsa": []byte("x")}, `"id_rsa"`},
		"OPR-31 an encryption key of the wrong length":   {encryption, map[string][]byte{"key": []byte("key1"), "secret": []byte("c2hvcnQ=")}, "has 5 bytes"},
		"OPR-31 an encryption key without a name":        {encryption, map[string][]byte{"secret": []byte("c2hvcnQ=")}, "the name of the encryption key"},
		"OPR-31 an encryption key that cannot be decode": {encryption, map[string][]byte{"key": []byte("key1"), "secret": []byte("%%%")}, "not base64"},
	} {
		t.Run(name+" is refused, and nothing is generated instead", func(t *testing.T) {
			w := newWorld(t)
			w.label("from-elsewhere", nameOf(tc.config), tc.data)
			_, err := w.manager().Generate(t.Context(), tc.config)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.Contains(err.Error(), "from-elsewhere") {
				t.Fatal(err)
			}
			if strings.Contains(err.Error(), "%%%") {
				t.Error("the error has the secret")
			}
			if got := w.names(); len(got) != 1 {
				t.Errorf("secrets %v", got)
			}
		})
	}
	t.Run("OPR-31 two Secrets for one configuration are refused", func(t *testing.T) {
		w := newWorld(t)
		w.label("one", "ca", good)
		w.label("two", "ca", other)
		if _, err := w.manager().Generate(t.Context(), ca); err == nil || !strings.Contains(err.Error(), `["one" "two"]`) {
			t.Error(err)
		}
	})
	t.Run("OPR-31 a Secret with the name of the one to come is refused", func(t *testing.T) {
		w := newWorld(t)
		w.label("ca", "ca", good)
		if _, err := w.manager().Generate(t.Context(), ca); err == nil || !strings.Contains(err.Error(), "another name") {
			t.Error(err)
		}
	})
}
