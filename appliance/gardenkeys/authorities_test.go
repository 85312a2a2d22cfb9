package gardenkeys

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	certificatesv1 "k8s.io/api/certificates/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/client-go/transport"

	"github.com/gardener-up/gardener-up/appliance/pki"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

func authority(t *testing.T, name string) certificate.Pair {
	t.Helper()
	made, err := certificate.SelfSigned(&x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	})
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// signer is a garden that signs what is approved, by one authority after the other.
func signer(t *testing.T, authorities ...certificate.Pair) *fake.Clientset {
	t.Helper()
	garden := fake.NewClientset()
	garden.PrependReactor("create", "certificatesigningrequests", func(action clienttesting.Action) (bool, runtime.Object, error) {
		request := action.(clienttesting.CreateAction).GetObject().(*certificatesv1.CertificateSigningRequest)
		request.Name = "rotation-1"
		return false, nil, nil
	})
	garden.PrependReactor("update", "certificatesigningrequests", func(action clienttesting.Action) (bool, runtime.Object, error) {
		request := action.(clienttesting.UpdateAction).GetObject().(*certificatesv1.CertificateSigningRequest)
		block, _ := pem.Decode(request.Spec.Request)
		parsed, err := x509.ParseCertificateRequest(block.Bytes)
		if err != nil || action.GetSubresource() != "approval" || request.Spec.SignerName != "kubernetes.io/kube-apiserver-client" || len(parsed.Subject.Organization) > 0 {
			t.Errorf("request of %v, subresource %q, error %v", parsed, action.GetSubresource(), err)
		}
		cert, err := authorities[0].Authority().Sign(&x509.Certificate{Subject: parsed.Subject, NotAfter: time.Now().Add(time.Hour)}, parsed.PublicKey)
		if err != nil {
			t.Error(err)
		}
		request.Status.Certificate = certificate.Encode(cert)
		if len(authorities) > 1 {
			authorities = authorities[1:]
		}
		return false, nil, nil
	})
	return garden
}

func TestSigner(t *testing.T) {
	former, present := authority(t, "former"), authority(t, "present")
	t.Run("OPR-29 it is waited until the garden signs by the new authority, and no request is left", func(t *testing.T) {
		requests := signer(t, former, former, present).CertificatesV1().CertificateSigningRequests()
		if err := signsFor(t.Context(), requests, present.Cert); err != nil {
			t.Fatal(err)
		}
		if left, err := requests.List(t.Context(), metav1.ListOptions{}); err != nil || len(left.Items) > 0 {
			t.Errorf("left are %v: %v", left, err)
		}
	})
	t.Run("OPR-29 a garden that goes on with the former authority is an error", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 10*probeInterval)
		defer cancel()
		err := signsFor(ctx, signer(t, former).CertificatesV1().CertificateSigningRequests(), present.Cert)
		if err == nil || !strings.Contains(err.Error(), "by the new authority yet") || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
	})
}

// server serves the certificate in these files, and returns its address.
func server(t *testing.T, files pki.Pair) string {
	t.Helper()
	listener, err := tls.Listen("tcp", "127.0.0.1:0", &tls.Config{GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		pair, err := tls.LoadX509KeyPair(files.Cert, files.Key)
		return &pair, err
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			_ = conn.(*tls.Conn).Handshake()
			_ = conn.Close()
		}
	}()
	return listener.Addr().String()
}

func TestFormerAuthoritiesAreDroppedAfterClientsHaveNewCertificates(t *testing.T) {
	keys := pki.Rotation{PKI: pki.New(t.TempDir(), pki.Hosts{GardenAPI: []string{"api.example.org"}, Seed: "local"}, time.Now), Note: func(string, ...string) error { return nil }}
	bundle, err := keys.PKI.Ensure()
	if err != nil {
		t.Fatal(err)
	}
	free := func() (func() error, error) { return func() error { return nil }, nil }
	published, began := 0, time.Unix(1e9, 0)
	a := Authorities{
		Files: Files{Keys: keys, Turn: free}, Client: bundle.Garden.Appliance.Cert,
		Publish: func(context.Context) error { published++; return nil },
		Servers: map[string]string{server(t, bundle.Garden.Server): "api.example.org"},
	}
	if err := errors.Join(keys.TrustNextAuthorities(pki.RotationName(began)), keys.UseNextClientAuthorities(pki.RotationName(began))); err != nil {
		t.Fatal(err)
	}
	former := filepath.Join(filepath.Dir(bundle.Garden.ClientIssuer), "client-ca.former")
	t.Run("OPR-29 while clients may have old certificates, these are trusted", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
		defer cancel()
		if err := a.DropFormer(ctx, began); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("error %v", err)
		}
		if _, err := os.Stat(former); err != nil {
			t.Error(err)
		}
	})
	t.Run("OPR-29 when clients have read new ones, only these are trusted", func(t *testing.T) {
		read := time.Now().Add(-2 * transport.CertCallbackRefreshDuration)
		if err := errors.Join(os.Chtimes(a.Client, read, read), a.DropFormer(t.Context(), began)); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(former); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("former authorities: %v", err)
		}
		if published != 1 {
			t.Errorf("the authorities were published %d times", published)
		}
	})
	t.Run("OPR-29 nothing changes while a backup is made", func(t *testing.T) {
		a.Files.Turn = func() (func() error, error) { return nil, errors.New("a backup is being made") }
		before, err := os.ReadFile(bundle.Garden.ClientCA)
		if err != nil {
			t.Fatal(err)
		}
		if err := a.Renew(t.Context(), time.Now()); err == nil || !strings.Contains(err.Error(), "backup") {
			t.Errorf("error %v", err)
		}
		if after, err := os.ReadFile(bundle.Garden.ClientCA); err != nil || string(after) != string(before) {
			t.Errorf("another authority is trusted: %v", err)
		}
	})
}
