package hibernation

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/etcd"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

const namespace = "shoot--sky--sun"

// fixture is the control plane of a shoot whose pods end slowly.
type fixture struct {
	*testing.T
	seed client.WithWatch
}

func newFixture(t *testing.T) fixture {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, druidv1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	meta := func(name string, labels map[string]string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Name: name, Namespace: namespace, Labels: labels, Finalizers: []string{"example.org/ending"}}
	}
	etcdLabels := map[string]string{"app": "etcd-statefulset", "role": "main"}
	return fixture{t, fake.NewClientBuilder().WithScheme(scheme).WithObjects(
		&appsv1.Deployment{ObjectMeta: meta("kube-apiserver", nil), Spec: appsv1.DeploymentSpec{Replicas: ptr.To(int32(1))}},
		&corev1.Pod{ObjectMeta: meta("server", map[string]string{"app": "kubernetes", "role": "apiserver"})},
		&corev1.Pod{ObjectMeta: meta("evicted", map[string]string{"app": "kubernetes", "role": "apiserver"}), Status: corev1.PodStatus{Phase: corev1.PodFailed}},
		&druidv1alpha1.Etcd{ObjectMeta: meta("etcd-main", nil), Spec: druidv1alpha1.EtcdSpec{Replicas: 1}},
		&corev1.Pod{ObjectMeta: meta("member", etcdLabels)},
	).Build()}
}

// stops reports what a run waits for, or nothing if it ends.
func (f fixture) stops() (waitsFor string) {
	space := seed.Space{Name: namespace, Client: f.seed}
	synctest.Test(f.T, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		if err := (Hibernation{Space: space, Etcd: etcd.Etcd{Space: space}}).Stop(ctx); err != nil {
			waitsFor = err.Error()
		}
	})
	return waitsFor
}

func (f fixture) ends(pod string) {
	f.Helper()
	found := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: pod, Namespace: namespace}}
	if err := f.seed.Delete(f.Context(), found); err != nil {
		f.Fatal(err)
	}
	if err := f.seed.Patch(f.Context(), found, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
		f.Fatal(err)
	}
}

func (f fixture) members() int32 {
	f.Helper()
	found := &druidv1alpha1.Etcd{}
	if err := f.seed.Get(f.Context(), client.ObjectKey{Namespace: namespace, Name: "etcd-main"}, found); err != nil {
		f.Fatal(err)
	}
	return found.Spec.Replicas
}

func TestStop(t *testing.T) {
	f := newFixture(t)
	t.Run("GLT-40 the API server ends before its etcds stop", func(t *testing.T) {
		f := fixture{t, f.seed}
		if got := f.stops(); !strings.Contains(got, `pod "server" has not ended yet`) {
			t.Errorf("it waits for %q", got)
		}
		if f.members() == 0 {
			t.Error("the etcd stops before its API server has ended")
		}
		f.ends("server")
	})
	t.Run("GLT-40 the shoot sleeps when its etcds have ended", func(t *testing.T) {
		f := fixture{t, f.seed}
		if got := f.stops(); !strings.Contains(got, `pod "member" has not ended yet`) {
			t.Errorf("it waits for %q", got)
		}
		if f.members() != 0 {
			t.Error("the etcd does not stop after its API server")
		}
		f.ends("member")
		if got := f.stops(); got != "" {
			t.Errorf("when all have ended, it waits for %q", got)
		}
	})
}
