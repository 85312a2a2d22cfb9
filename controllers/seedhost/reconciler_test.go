package seedhost_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-logr/logr"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/gardener-up/gardener-up/controllers/seedhost"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/gardenapitest"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// recorder is a Host that notes what it is asked for.
type recorder struct {
	mu      sync.Mutex
	serving map[string]string // server by Seed
	gone    map[string]bool
	fail    map[string]error
}

func (r *recorder) Serve(_ context.Context, seed *gardencorev1beta1.Seed, _ []byte, access *rest.Config) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err := r.fail[seed.Name]; err != nil {
		return err
	}
	r.serving[seed.Name] = access.Host
	return nil
}

func (r *recorder) End(_ context.Context, seed string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.serving, seed)
	return nil
}

func (r *recorder) Gone(_ context.Context, seed string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gone[seed] = true
	return nil
}

func (r *recorder) serves(seed, server string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if got := r.serving[seed]; got != server {
		return fmt.Errorf("seed %s is served at %q, want %q", seed, got, server)
	}
	return nil
}

var (
	environment *gardenapitest.Garden

	garden client.Client
	host   = &recorder{serving: map[string]string{}, gone: map[string]bool{}, fail: map[string]error{}}
	ended  = make(chan event.GenericEvent, 1)
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	log.SetLogger(logr.Discard())
	g, err := gardenapitest.Start(gardenapitest.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, "start garden:", err)
		return 1
	}
	defer g.Stop()
	environment = g
	ctx, cancel := context.WithCancel(context.Background())
	stopped := make(chan struct{})
	defer func() {
		cancel()
		<-stopped
	}()
	if err := start(ctx, g.Config, stopped); err != nil {
		close(stopped)
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return m.Run()
}

func start(ctx context.Context, config *rest.Config, stopped chan struct{}) error {
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		return err
	}
	mgr, err := manager.New(config, manager.Options{Scheme: scheme, Metrics: metricsserver.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	if garden, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return err
	}
	reconciler := &seedhost.Reconciler{
		Client: mgr.GetClient(), Reader: mgr.GetAPIReader(), Host: host, Clock: clock.RealClock{}, ID: "ours", Own: "first", Ended: ended,
	}
	if err := reconciler.AddToManager(mgr, workers.Options{Count: 5, FirstRetry: time.Second, LastRetry: time.Minute}); err != nil {
		return err
	}
	for _, name := range []string{"garden", "gardener-system-seed-lease"} {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if err := garden.Create(ctx, namespace); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	go func() {
		defer close(stopped)
		_ = mgr.Start(ctx)
	}()
	return nil
}

func kubeconfig(server string) map[string][]byte {
	return map[string][]byte{"kubeconfig": fmt.Appendf(nil, "{apiVersion: v1, kind: Config, current-context: a, contexts: [{name: a, context: {cluster: a, user: a}}], "+
		"clusters: [{name: a, cluster: {server: %q}}], users: [{name: a, user: {token: t}}]}", server)}
}

// create makes a Seed, and the Secret it refers to unless data is nil.
func create(t *testing.T, name string, data map[string][]byte) *gardencorev1beta1.Seed {
	t.Helper()
	seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: gardencorev1beta1.SeedSpec{
		Provider: gardencorev1beta1.SeedProvider{Type: "local", Region: "local"},
		Networks: gardencorev1beta1.SeedNetworks{Nodes: ptr.To("10.0.0.0/16"), Pods: "10.1.0.0/16", Services: "10.2.0.0/16"},
		Ingress:  &gardencorev1beta1.Ingress{Domain: name + ".example.org", Controller: gardencorev1beta1.IngressController{Kind: "nginx"}},
		DNS: gardencorev1beta1.SeedDNS{Provider: &gardencorev1beta1.SeedDNSProvider{
			Type: "local", SecretRef: corev1.SecretReference{Namespace: "garden", Name: "dns"},
		}},
	}}
	if data != nil {
		seed.Spec.SecretRef = &corev1.SecretReference{Namespace: "garden", Name: "seed-" + name}
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "seed-" + name}, Data: data}
		if err := garden.Create(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
	}
	dns := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "dns"}}
	if err := garden.Create(t.Context(), dns); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
	if err := garden.Create(t.Context(), seed); err != nil {
		t.Fatal(err)
	}
	return seed
}

func eventually(t *testing.T, check func() error) {
	t.Helper()
	environment.Until(t, "host or garden", func(context.Context) error { return check() })
}

// says waits until the condition Bootstrapped of a Seed is False for the reason and its message contains the text.
func says(t *testing.T, name, reason, text string) {
	t.Helper()
	eventually(t, func() error {
		seed := &gardencorev1beta1.Seed{}
		if err := garden.Get(t.Context(), client.ObjectKey{Name: name}, seed); err != nil {
			return err
		}
		for _, c := range seed.Status.Conditions {
			if c.Type == gardencorev1beta1.SeedBootstrapped && c.Status == "False" && c.Reason == reason && strings.Contains(c.Message, text) {
				return nil
			}
		}
		return fmt.Errorf("conditions of seed %s: %+v", name, seed.Status.Conditions)
	})
}

func update(t *testing.T, name string, data map[string][]byte) {
	t.Helper()
	secret := &corev1.Secret{}
	if err := garden.Get(t.Context(), client.ObjectKey{Namespace: "garden", Name: "seed-" + name}, secret); err != nil {
		t.Fatal(err)
	}
	secret.Data = data
	if err := garden.Update(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
}

func TestKubeconfigSeed(t *testing.T) {
	seed := create(t, "two", kubeconfig("https://one.example.org"))
	t.Run("API-11 a Seed that names a kubeconfig is served by it", func(t *testing.T) {
		eventually(t, func() error { return host.serves("two", "https://one.example.org") })
	})
	t.Run("API-11 another kubeconfig is taken up at once", func(t *testing.T) {
		update(t, "two", kubeconfig("https://other.example.org"))
		eventually(t, func() error { return host.serves("two", "https://other.example.org") })
	})
	t.Run("API-11 a kubeconfig that is none ends it, and the Seed says why", func(t *testing.T) {
		update(t, "two", map[string][]byte{"config": nil})
		says(t, "two", seedhost.ReasonKubeconfig, "secret garden/seed-two: it has no data.kubeconfig")
		eventually(t, func() error { return host.serves("two", "") })
	})
	t.Run("API-11 so does a Secret that is gone, and one that is back is served", func(t *testing.T) {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "seed-two"}}
		if err := garden.Delete(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		says(t, "two", seedhost.ReasonKubeconfig, "not found")
		secret.Data = kubeconfig("https://again.example.org")
		if err := garden.Create(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error { return host.serves("two", "https://again.example.org") })
	})
	t.Run("API-11 a Seed that is gone is served no longer", func(t *testing.T) {
		if err := garden.Delete(t.Context(), seed); err != nil {
			t.Fatal(err)
		}
		eventually(t, func() error {
			host.mu.Lock()
			defer host.mu.Unlock()
			if !host.gone["two"] || host.serving["two"] != "" {
				return errors.New("not gone")
			}
			return nil
		})
	})
}

func TestSeedsOfOthers(t *testing.T) {
	create(t, "plain", nil)
	create(t, "first", kubeconfig("https://first.example.org"))
	t.Run("API-11 a cluster that cannot be served holds up no other", func(t *testing.T) {
		host.mu.Lock()
		host.fail["broken"] = errors.New("the cluster does not answer")
		host.mu.Unlock()
		create(t, "broken", kubeconfig("https://broken.example.org"))
		create(t, "fine", kubeconfig("https://fine.example.org"))
		says(t, "broken", seedhost.ReasonUnserved, "the cluster does not answer")
		eventually(t, func() error { return host.serves("fine", "https://fine.example.org") })
	})
	t.Run("API-11 a Seed whose parts have ended is tried again", func(t *testing.T) {
		host.mu.Lock()
		delete(host.serving, "fine")
		host.mu.Unlock()
		ended <- event.GenericEvent{Object: &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "fine"}}}
		eventually(t, func() error { return host.serves("fine", "https://fine.example.org") })
	})
	t.Run("API-11 a Seed that another gardenlet holds is left to it", func(t *testing.T) {
		lease := &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: "gardener-system-seed-lease", Name: "fine"},
			Spec:       coordinationv1.LeaseSpec{HolderIdentity: ptr.To("fine"), LeaseDurationSeconds: ptr.To[int32](600), RenewTime: &metav1.MicroTime{Time: time.Now()}},
		}
		if err := garden.Create(t.Context(), lease); err != nil {
			t.Fatal(err)
		}
		seed := &gardencorev1beta1.Seed{}
		if err := garden.Get(t.Context(), client.ObjectKey{Name: "fine"}, seed); err != nil {
			t.Fatal(err)
		}
		before := seed.DeepCopy()
		seed.Status.Gardener = &gardencorev1beta1.Gardener{ID: "theirs", Name: "gardenlet-0", Version: "1"}
		if err := garden.Status().Patch(t.Context(), seed, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
		update(t, "fine", kubeconfig("https://changed.example.org"))
		eventually(t, func() error { return host.serves("fine", "") })
	})
	t.Run("neither Seeds without kubeconfig nor our own are served by it", func(t *testing.T) {
		if err := errors.Join(host.serves("plain", ""), host.serves("first", "")); err != nil {
			t.Error(err)
		}
	})
}
