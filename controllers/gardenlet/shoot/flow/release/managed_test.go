package release

import (
	"slices"
	"testing"

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
