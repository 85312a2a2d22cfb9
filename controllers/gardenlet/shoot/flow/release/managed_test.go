package release

import (
	"context"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// TestManaged lets ManagedResources go while no resource manager runs.
func TestManaged(t *testing.T) {
	const namespace = "shoot--p--s"
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	meta := func(name string, finalizers ...string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: namespace, Name: name, Finalizers: finalizers}
	}
	secrets := []*corev1.Secret{
		{ObjectMeta: meta("managedresource-core", resourcesv1alpha1.FinalizerName)}, {ObjectMeta: meta("managedresource-seed", resourcesv1alpha1.FinalizerName+"-seed")},
		{ObjectMeta: meta("shared", resourcesv1alpha1.FinalizerName, "example.org/other")}, {ObjectMeta: meta("apart", resourcesv1alpha1.FinalizerName+"x")},
	}
	builder := fake.NewClientBuilder().WithScheme(scheme).WithObjects(&resourcesv1alpha1.ManagedResource{
		ObjectMeta: meta("core", resourcesv1alpha1.FinalizerName), Spec: resourcesv1alpha1.ManagedResourceSpec{KeepObjects: ptr.To(true)},
	})
	for _, secret := range secrets {
		builder.WithObjects(secret)
	}
	c := builder.Build()
	managed := Managed{Space: seed.New(namespace, "", c, nil, clock.RealClock{})}
	for _, step := range []func() error{
		func() error { return managed.Delete(t.Context()) },
		func() error { return c.DeleteAllOf(t.Context(), &corev1.Secret{}, client.InNamespace(namespace)) },
		func() error { return managed.AwaitGone(t.Context()) },
		func() error { return managed.ReleaseSecrets(t.Context()) },
	} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	for _, secret := range secrets {
		t.Run("MIG-3 "+secret.Name+" keeps the finalizers of others only", func(t *testing.T) {
			want := map[string][]string{"shared": {"example.org/other"}, "apart": secret.Finalizers}[secret.Name]
			got := &corev1.Secret{}
			err := c.Get(t.Context(), client.ObjectKeyFromObject(secret), got)
			if gone := apierrors.IsNotFound(err); gone != (want == nil) || !gone && err != nil || !slices.Equal(got.Finalizers, want) {
				t.Errorf("finalizers %v, want %v, error %v", got.Finalizers, want, err)
			}
		})
	}
}

// TestManagedInSeed has a ManagedResource whose objects are in the seed, with what an extension runs for the shoot.
func TestManagedInSeed(t *testing.T) {
	const namespace = "shoot--p--s"
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	of := func(name string, class *string) *resourcesv1alpha1.ManagedResource {
		return &resourcesv1alpha1.ManagedResource{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Finalizers: []string{resourcesv1alpha1.FinalizerName}},
			Spec:       resourcesv1alpha1.ManagedResourceSpec{Class: class},
		}
	}
	controller := of("extension-controlplane-seed", ptr.To("seed"))
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(controller, of("core", nil), of("plain", ptr.To(""))).Build()
	managed := Managed{Space: seed.New(namespace, "", c, nil, clock.RealClock{})}
	for _, step := range []func(context.Context) error{managed.Keep, managed.Delete, managed.AwaitGone} {
		if err := step(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	left := &resourcesv1alpha1.ManagedResourceList{}
	if err := c.List(t.Context(), left, client.InNamespace(namespace)); err != nil {
		t.Fatal(err)
	}
	if len(left.Items) != 1 || left.Items[0].Name != controller.Name || left.Items[0].DeletionTimestamp != nil || left.Items[0].Spec.KeepObjects != nil {
		t.Errorf("MIG-3 the extension cannot stop its controller, left are %+v", left.Items)
	}
	short, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if err := managed.AwaitGoneInSeed(short); err == nil {
		t.Error("MIG-3 a ManagedResource in the seed is not waited for")
	}
	if err := c.Patch(t.Context(), controller, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"finalizers":null}}`))); err != nil {
		t.Fatal(err)
	}
	if err := c.Delete(t.Context(), controller); err != nil {
		t.Fatal(err)
	}
	if err := managed.AwaitGoneInSeed(t.Context()); err != nil {
		t.Errorf("MIG-3 when it is gone: %v", err)
	}
}
