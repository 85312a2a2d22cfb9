package seedlogin

import (
	"context"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/certificate"
)

var errBoom = errors.New("boom")

// bench is a garden with one Seed, and a cluster that signs certificates.
type bench struct {
	*Reconciler
	t      *testing.T
	clock  *testclock.FakeClock
	config *rest.Config
	signed int
	err    error // of the cluster
}

func newBench(t *testing.T, objects ...client.Object) *bench {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "local", UID: "uid"}}
	garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(append(objects, seed)...).Build()
	b := &bench{t: t, clock: testclock.NewFakeClock(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))}
	b.config = &rest.Config{Host: "https://127.64.0.1:6443", TLSClientConfig: rest.TLSClientConfig{CAData: []byte("authority")}}
	b.Reconciler = &Reconciler{
		Garden: garden, Reader: garden, Seed: "local", Clock: b.clock,
		Cluster: func() (*rest.Config, error) { return b.config, nil }, Request: b.sign,
	}
	return b
}

func (b *bench) sign(_ context.Context, _ *rest.Config, validity time.Duration) (daemon.Credential, error) {
	if b.err != nil {
		return daemon.Credential{}, b.err
	}
	b.signed++
	now := b.clock.Now()
	pair, err := certificate.SelfSigned(&x509.Certificate{Subject: pkix.Name{CommonName: "operator"}, NotBefore: now, NotAfter: now.Add(validity)})
	if err != nil {
		return daemon.Credential{}, err
	}
	cert, key, err := pair.PEM()
	return daemon.Credential{Cert: cert, Key: key, Expires: pair.Cert.NotAfter}, err
}

func (b *bench) reconcile() reconcile.Result {
	b.t.Helper()
	result, err := b.Reconcile(b.t.Context(), reconcile.Request{})
	if err != nil {
		b.t.Fatal(err)
	}
	return result
}

func (b *bench) secret() *corev1.Secret {
	b.t.Helper()
	secret := &corev1.Secret{}
	if err := b.Garden.Get(b.t.Context(), client.ObjectKey{Namespace: "garden", Name: "local.login"}, secret); err != nil {
		b.t.Fatal(err)
	}
	return secret
}

func TestReconcile(t *testing.T) {
	b := newBench(t)
	result := b.reconcile()
	secret := b.secret()
	t.Run("APP-31 the Secret has a kubeconfig of hours that needs no files", func(t *testing.T) {
		config, err := clientcmd.RESTConfigFromKubeConfig(secret.Data["kubeconfig"])
		if err != nil {
			t.Fatal(err)
		}
		cert, err := certificate.Parse(config.CertData)
		if err != nil {
			t.Fatal(err)
		}
		if config.Host != "https://127.64.0.1:6443" || string(config.CAData) != "authority" || len(config.KeyData) == 0 || config.ExecProvider != nil {
			t.Errorf("the kubeconfig leads to %s with authority %q", config.Host, config.CAData)
		}
		if valid := cert.NotAfter.Sub(b.clock.Now()); valid != 8*time.Hour {
			t.Errorf("it is valid for %s", valid)
		}
	})
	t.Run("APP-31 it goes with its Seed, and no gardenlet gets a copy", func(t *testing.T) {
		if owners := secret.OwnerReferences; len(owners) != 1 || owners[0].UID != "uid" || owners[0].Kind != "Seed" {
			t.Errorf("owners %+v", owners)
		}
		if role, has := secret.Labels["gardener.cloud/role"]; has {
			t.Errorf("role %q", role)
		}
	})
	t.Run("APP-31 it is renewed before it ends, and not earlier", func(t *testing.T) {
		for range 23 { // 3 hours 50 minutes
			if result.RequeueAfter <= 0 || result.RequeueAfter > 10*time.Minute {
				t.Fatalf("the next look is after %s", result.RequeueAfter)
			}
			b.clock.Step(result.RequeueAfter)
			result = b.reconcile()
		}
		if b.signed != 1 {
			t.Errorf("%d certificates after 4 hours", b.signed)
		}
		b.clock.Step(result.RequeueAfter)
		b.reconcile()
		if b.signed != 2 || string(b.secret().Data["kubeconfig"]) == string(secret.Data["kubeconfig"]) {
			t.Errorf("%d certificates when half of the time is over", b.signed)
		}
		b.clock.Step(-24 * time.Hour)
		if b.reconcile(); b.signed != 3 {
			t.Errorf("the clock was set back, and the certificate is one of tomorrow")
		}
	})
	t.Run("APP-31 it follows the seed, and mends itself", func(t *testing.T) {
		for what, change := range map[string]func(){
			"another port":      func() { b.config.Host = "https://127.64.0.1:7443" },
			"another authority": func() { b.config.CAData = []byte("new authority") },
			"another name":      func() { b.config.ServerName = "seed" },
			"a damaged Secret": func() {
				secret := b.secret()
				secret.Data["kubeconfig"] = []byte("nothing")
				if err := b.Garden.Update(t.Context(), secret); err != nil {
					t.Fatal(err)
				}
			},
			"no Secret": func() {
				if err := b.Garden.Delete(t.Context(), b.secret()); err != nil {
					t.Fatal(err)
				}
			},
		} {
			before := b.signed
			change()
			b.reconcile()
			if way, err := wayOf(b.config); err != nil || way.remaining(b.secret().Data["kubeconfig"], b.clock.Now()) != validity || b.signed != before+1 {
				t.Errorf("%s: %d more certificates, %v", what, b.signed-before, err)
			}
		}
	})
}

func TestReconcileLeavesAlone(t *testing.T) {
	foreign := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "local.login"}, Data: map[string][]byte{"kubeconfig": []byte("mine")}}
	b := newBench(t, foreign)
	b.reconcile()
	if b.signed != 0 || string(b.secret().Data["kubeconfig"]) != "mine" {
		t.Errorf("APP-31 the Secret of an operator was replaced by %s", b.secret().Data["kubeconfig"])
	}
	seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "local"}}
	if err := b.Garden.Delete(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	if result := b.reconcile(); result.RequeueAfter != 0 || b.signed != 0 {
		t.Errorf("APP-31 a Seed that does not exist gets a login: %+v", result)
	}
}

func TestReconcileReportsWhatTheClusterSays(t *testing.T) {
	b := newBench(t)
	b.err = errBoom
	_, err := b.Reconcile(t.Context(), reconcile.Request{})
	if !errors.Is(err, errBoom) || !strings.Contains(err.Error(), `seed "local"`) {
		t.Errorf("error = %v", err)
	}
}
