package authority_test

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/operator/garden/authority"
	"github.com/gardener-up/gardener-up/controllers/operator/garden/observability"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

const day = 24 * time.Hour

// bench is a runtime cluster whose clock the test moves.
type bench struct {
	*testing.T
	cluster client.Client
	clock   *clocktesting.FakePassiveClock
	turn    sync.Mutex
}

func newBench(t *testing.T) *bench {
	return &bench{T: t, cluster: fake.NewClientBuilder().Build(), clock: clocktesting.NewFakePassiveClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
}

func (b *bench) authority() authority.Authority {
	return authority.Authority{Runtime: b.cluster, Reader: b.cluster, Clock: b.clock, Turn: &b.turn}
}

// pass lets time pass.
func (b *bench) pass(d time.Duration) { b.clock.SetTime(b.clock.Now().Add(d)) }

// current is the newest authority; the other one, if there is one, is former.
func (b *bench) authorities() (current, former *corev1.Secret) {
	b.Helper()
	if err := b.authority().Deploy(b.Context()); err != nil {
		b.Fatal(err)
	}
	all := &corev1.SecretList{}
	if err := b.cluster.List(b.Context(), all, client.InNamespace("garden"), client.MatchingLabels{"name": "ca-garden-runtime", "manager-identity": "gardener-operator"}); err != nil {
		b.Fatal(err)
	}
	for i := range all.Items {
		switch one := &all.Items[i]; {
		case current == nil:
			current = one
		case former != nil:
			b.Fatalf("%d authorities", len(all.Items))
		case one.Labels["issued-at-time"] > current.Labels["issued-at-time"]:
			current, former = one, current
		default:
			former = one
		}
	}
	if current == nil {
		b.Fatal("there is no authority")
	}
	return current, former
}

// serve returns the certificate and the trusted authorities of a server. Whoever trusts them accepts the certificate.
func (b *bench) serve(server string, hosts ...string) (cert, trusted []byte) {
	b.Helper()
	data, err := b.authority().For(b.Context(), server, hosts)
	if err != nil {
		b.Fatal(err)
	}
	b.accepts(data["ca.crt"], data, hosts...)
	return data["tls.crt"], data["ca.crt"]
}

func (b *bench) accepts(trusted []byte, data map[string][]byte, hosts ...string) {
	b.Helper()
	pair, err := tls.X509KeyPair(data["tls.crt"], data["tls.key"])
	if err != nil {
		b.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(trusted)
	for _, host := range hosts {
		if _, err := pair.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: host, CurrentTime: b.clock.Now()}); err != nil {
			b.Errorf("certificate for %s: %v", host, err)
		}
	}
}

func TestAuthority(t *testing.T) {
	b := newBench(t)
	first, _ := b.authorities()
	cert, err := certificate.Parse(first.Data["ca.crt"])
	if err != nil {
		t.Fatal(err)
	}
	t.Run("OPR-5 it is valid for thirty days", func(t *testing.T) {
		if left := cert.NotAfter.Sub(b.clock.Now()); left != 30*day || !cert.IsCA || first.Name != "ca-garden-runtime" {
			t.Errorf("Secret %q is valid for %s", first.Name, left)
		}
	})
	t.Run("OPR-5 it stays for 80 % of its life", func(t *testing.T) {
		b.pass(24*day - time.Minute - time.Second)
		if current, former := b.authorities(); current.Name != first.Name || former != nil {
			t.Errorf("current %q, former %v", current.Name, former)
		}
	})
	b.pass(2 * time.Minute)
	second, former := b.authorities()
	t.Run("OPR-5 then there is a new one, and the former one is trusted for a day", func(t *testing.T) {
		if former == nil || former.Name != first.Name || bytes.Equal(second.Data["ca.crt"], first.Data["ca.crt"]) {
			t.Fatalf("current %q, former %v", second.Name, former)
		}
		_, trusted := b.serve("webhooks", "127.0.0.1", "webhooks.garden.svc")
		for _, one := range []*corev1.Secret{first, second} {
			if !bytes.Contains(trusted, bytes.TrimSpace(one.Data["ca.crt"])) {
				t.Errorf("%q is not trusted", one.Name)
			}
		}
		b.pass(day)
		if current, former := b.authorities(); current.Name != second.Name || former != nil {
			t.Errorf("after a day: current %q, former %v", current.Name, former)
		}
		if _, trusted := b.serve("webhooks", "127.0.0.1"); bytes.Contains(trusted, bytes.TrimSpace(first.Data["ca.crt"])) {
			t.Error("the former one is trusted after a day")
		}
	})
}

func TestServers(t *testing.T) {
	t.Run("OPR-5 what a client trusts at one time accepts the certificate of the next", func(t *testing.T) {
		b := newBench(t)
		_, trusted := b.serve("webhooks", "127.0.0.1")
		for range 40 * 4 { // several generations of authorities
			b.pass(6 * time.Hour)
			data, err := b.authority().For(t.Context(), "webhooks", []string{"127.0.0.1"})
			if err != nil {
				t.Fatal(err)
			}
			b.accepts(trusted, data, "127.0.0.1")
			trusted = data["ca.crt"]
		}
	})
	t.Run("OPR-5 after a year without a process everything is new", func(t *testing.T) {
		b := newBench(t)
		before, _ := b.serve("webhooks", "127.0.0.1")
		b.pass(365 * day)
		if after, _ := b.serve("webhooks", "127.0.0.1"); bytes.Equal(before, after) {
			t.Error("the certificate is the same")
		}
	})
	t.Run("OPR-5 servers, the authority and passwords leave each other's Secrets alone", func(t *testing.T) {
		b := newBench(t)
		password := observability.Password{Runtime: b.cluster, Reader: b.cluster, Clock: b.clock}
		deploy := func() map[string]bool {
			b.serve("one", "127.0.0.1")
			b.serve("other", "other.garden.svc")
			b.authorities()
			if err := password.Deploy(t.Context(), time.Time{}); err != nil {
				t.Fatal(err)
			}
			all, found := &corev1.SecretList{}, map[string]bool{}
			if err := b.cluster.List(t.Context(), all); err != nil {
				t.Fatal(err)
			}
			for _, one := range all.Items {
				found[one.Name] = true
			}
			return found
		}
		first := deploy()
		if again := deploy(); len(first) != 5 || len(again) != 5 {
			t.Errorf("Secrets %v, then %v", first, again)
		}
		for name := range deploy() {
			if !first[name] {
				t.Errorf("%q is new", name)
			}
		}
	})
	t.Run("a server at another address gets another certificate, and the former Secret goes", func(t *testing.T) {
		b := newBench(t)
		b.serve("webhooks", "127.0.0.1")
		b.serve("webhooks", "webhooks.garden.svc")
		all, count := &corev1.SecretList{}, 0
		if err := b.cluster.List(t.Context(), all); err != nil {
			t.Fatal(err)
		}
		for _, one := range all.Items {
			if strings.HasPrefix(one.Name, "webhooks-") {
				count++
			}
		}
		if count != 1 {
			t.Errorf("%d certificates", count)
		}
	})
}
