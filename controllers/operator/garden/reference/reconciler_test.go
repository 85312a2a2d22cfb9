package reference_test

import (
	"context"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/operator/garden/reference"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

const finalizer = "gardener.cloud/reference-protection"

func garden(name, secret string) *operatorv1alpha1.Garden {
	out := &operatorv1alpha1.Garden{}
	out.Name, out.UID, out.Finalizers = name, types.UID("uid of "+name), []string{"somebody/else"}
	refer(out, secret)
	return out
}

func refer(to *operatorv1alpha1.Garden, secret string) {
	to.Spec.VirtualCluster.ETCD = nil
	if secret != "" {
		to.Spec.VirtualCluster.ETCD = &operatorv1alpha1.ETCD{Main: &operatorv1alpha1.ETCDMain{Backup: &operatorv1alpha1.Backup{SecretRef: corev1.LocalObjectReference{Name: secret}}}}
	}
}

// bench is a runtime cluster in memory.
type bench struct {
	testing.TB
	client.Client
}

func newBench(t *testing.T, objects ...client.Object) bench {
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	return bench{t, fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).Build()}
}

func (b bench) reconcile(name string) {
	b.Helper()
	reconciler := &reference.Reconciler{Client: b.Client, Reader: b.Client}
	if _, err := reconciler.Reconcile(context.Background(), reconcile.Request{NamespacedName: client.ObjectKey{Name: name}}); err != nil {
		b.Fatal(err)
	}
}

// wantProtected fails unless the object exists and has the finalizer or not.
func (b bench) wantProtected(object client.Object, want bool) {
	b.Helper()
	if err := b.Get(context.Background(), client.ObjectKeyFromObject(object), object); err != nil {
		b.Fatal(err)
	}
	if got := slices.Contains(object.GetFinalizers(), finalizer); got != want {
		b.Errorf("%T %q has finalizers %v", object, object.GetName(), object.GetFinalizers())
	}
}

func secret(namespace, name string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

func TestReconcile(t *testing.T) {
	t.Run("OPR-24 objects and the Garden are protected as long as it refers to them", func(t *testing.T) {
		used, next, elsewhere := secret("garden", "used"), secret("garden", "next"), secret("default", "used")
		g := garden("g", "used")
		b := newBench(t, g, used, next, elsewhere)
		b.reconcile("g")
		b.wantProtected(g, true)
		b.wantProtected(used, true)
		b.wantProtected(next, false)
		b.wantProtected(elsewhere, false)

		refer(g, "next")
		b.update(g)
		b.reconcile("g")
		b.wantProtected(used, false)
		b.wantProtected(next, true)
		b.wantProtected(g, true)

		refer(g, "")
		b.update(g)
		b.reconcile("g")
		b.wantProtected(next, false)
		b.wantProtected(g, false)
	})
	t.Run("OPR-24 a Garden in deletion releases its objects and itself", func(t *testing.T) {
		used, g := secret("garden", "used"), garden("g", "used")
		b := newBench(t, g, used)
		b.reconcile("g")
		if err := b.Delete(context.Background(), g); err != nil {
			t.Fatal(err)
		}
		b.reconcile("g")
		b.wantProtected(used, false)
		b.wantProtected(g, false)
	})
	t.Run("OPR-24 a Garden does not release what another one needs", func(t *testing.T) {
		used, one, other := secret("garden", "used"), garden("one", "used"), garden("other", "used")
		b := newBench(t, one, other, used)
		b.reconcile("one")
		b.reconcile("other")
		b.wantProtected(one, true)
		refer(one, "")
		b.update(one)
		b.reconcile("one")
		b.wantProtected(used, true)
		b.wantProtected(other, true)
		b.wantProtected(one, false)
	})
	t.Run("OPR-24 an object that is made later is protected then", func(t *testing.T) {
		late, g := secret("garden", "late"), garden("g", "late")
		b := newBench(t, g)
		b.reconcile("g")
		if err := b.Create(context.Background(), late); err != nil {
			t.Fatal(err)
		}
		b.reconcile("g")
		b.wantProtected(late, true)
	})
}

func (b bench) update(object client.Object) {
	b.Helper()
	if err := b.Update(context.Background(), object); err != nil {
		b.Fatal(err)
	}
}
