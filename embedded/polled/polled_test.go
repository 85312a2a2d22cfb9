package polled

import (
	"bytes"
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
	"k8s.io/apiserver/pkg/server/dynamiccertificates"

	"github.com/gardener-up/gardener-up/embedded/certificate"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// TestMain fails if the tests leave a goroutine behind, except those of the queues that Kubernetes' providers make for their own Run.
func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreTopFunction("k8s.io/client-go/util/workqueue.(*Typed[...]).updateUnfinishedWorkLoop"),
		goleak.IgnoreTopFunction("k8s.io/client-go/util/workqueue.(*delayingType[...]).waitingLoop"),
	)
}

// files are those of a serving certificate, which is also an authority.
type files struct{ cert, key string }

func newFiles(t *testing.T) files {
	t.Helper()
	dir := t.TempDir()
	f := files{filepath.Join(dir, "tls.crt"), filepath.Join(dir, "tls.key")}
	f.renew(t)
	return f
}

// renew replaces both files and returns the new certificate.
func (f files) renew(t *testing.T) []byte {
	t.Helper()
	pair, err := certificate.SelfSigned(&x509.Certificate{
		SerialNumber: big.NewInt(time.Now().UnixNano()), Subject: pkix.Name{CommonName: "test"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Minute), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign,
	})
	if err != nil {
		t.Fatal(err)
	}
	cert, key, err := pair.PEM()
	if err := errors.Join(err, os.WriteFile(f.key, key, 0o600), os.WriteFile(f.cert, cert, 0o600)); err != nil {
		t.Fatal(err)
	}
	return cert
}

// instances counts the inotify instances of this process.
func instances() (count int) {
	descriptors, _ := filepath.Glob("/proc/self/fd/*")
	for _, descriptor := range descriptors {
		if target, err := os.Readlink(descriptor); err == nil && target == "anon_inode:inotify" {
			count++
		}
	}
	return count
}

func TestPoll(t *testing.T) {
	f := newFiles(t)
	served, err := dynamiccertificates.NewDynamicServingContentFromFiles("test", f.cert, f.key)
	if err != nil {
		t.Fatal(err)
	}
	ca, err := dynamiccertificates.NewDynamicCAContentFromFile("test", f.cert)
	if err != nil {
		t.Fatal(err)
	}
	byName, err := dynamiccertificates.NewDynamicSNIContentFromFiles("test", f.cert, f.key, "name")
	if err != nil {
		t.Fatal(err)
	}
	own, err := NewCertificate(f.cert, f.key)
	if err != nil {
		t.Fatal(err)
	}
	union := CA(dynamiccertificates.NewUnionCAContentProvider(ca, ca))
	for name, tc := range map[string]struct {
		provider dynamiccertificates.ControllerRunner
		content  func() []byte
	}{
		"a serving certificate":  {quick(t, Pair(served)), func() []byte { cert, _ := served.CurrentCertKeyContent(); return cert }},
		"the one of a name":      {quick(t, Named(byName)), func() []byte { cert, _ := byName.CurrentCertKeyContent(); return cert }},
		"a union of authorities": {quick(t, union), union.CurrentCABundleContent},
		"a server that is not Kubernetes'": {polled{reader(own.read), time.Millisecond}, func() []byte {
			current, _ := own.Get(nil)
			return certificate.Encode(current.Leaf)
		}},
	} {
		t.Run(name+" is read again without inotify", func(t *testing.T) {
			ctx, cancel := context.WithCancel(context.Background())
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				tc.provider.Run(ctx, 1)
			}()
			renewed := bytes.TrimSpace(f.renew(t))
			testwait.Until(t, "the new certificate", func() error {
				if !bytes.Contains(tc.content(), renewed) {
					return errors.New("still the former one")
				}
				return nil
			})
			if count := instances(); count > 0 {
				t.Errorf("%d inotify instances", count)
			}
			cancel()
			<-ended
		})
	}
	t.Run("files that do not fit each other change nothing", func(t *testing.T) {
		before, _ := own.Get(nil)
		if err := os.WriteFile(f.key, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := own.read(); err == nil {
			t.Error("no error")
		}
		if after, _ := own.Get(nil); after != before {
			t.Error("another certificate")
		}
	})
}

func TestNow(t *testing.T) {
	f := newFiles(t)
	own, err := NewAuthorities(f.cert)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		own.Run(ctx)
	}()
	defer func() { cancel(); <-ended }()
	testwait.Until(t, "it polls", func() error {
		for range pollers.Range {
			return nil
		}
		return errors.New("nothing polls")
	})
	trusts := func(cert []byte) bool {
		parsed, err := certificate.Parse(cert)
		if err != nil {
			t.Fatal(err)
		}
		_, err = parsed.Verify(x509.VerifyOptions{Roots: own.Pool(), KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageAny}})
		return err == nil
	}
	t.Run("OPR-29 what polls reads its files when somebody asks, long before it is due", func(t *testing.T) {
		renewed := f.renew(t)
		if err := Now(t.Context()); err != nil || !trusts(renewed) {
			t.Errorf("error %v; the new authority is trusted: %v", err, trusts(renewed))
		}
	})
	t.Run("OPR-29 who asks learns what cannot be read, and the former one stays", func(t *testing.T) {
		before := own.Pool()
		if err := os.WriteFile(f.cert, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := Now(t.Context()); err == nil || own.Pool() != before {
			t.Errorf("error %v; the same authorities: %v", err, own.Pool() == before)
		}
	})
}

// quick shortens the interval of a provider, which must be one that polls.
func quick(t *testing.T, provider any) dynamiccertificates.ControllerRunner {
	t.Helper()
	switch p := provider.(type) {
	case authorities:
		p.interval = time.Millisecond
		return p
	case pair:
		p.interval = time.Millisecond
		return p
	case named:
		p.interval = time.Millisecond
		return p
	}
	t.Fatalf("%T does not poll", provider)
	return nil
}

// reader is a controller of a function that reads files.
type reader func() error

func (r reader) RunOnce(context.Context) error { return r() }
func (r reader) Run(context.Context, int)      {}
