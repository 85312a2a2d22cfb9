package managedresource_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/managedresource"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// TestReleaseOfASecretThatTheCacheHasNotSeenProtected deletes a ManagedResource while the cache still has its Secret from before it was
// protected. No pass follows that could release the Secret.
func TestReleaseOfASecretThatTheCacheHasNotSeenProtected(t *testing.T) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, resourcesv1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	finalizers := []string{managedresource.Finalizer(managedresource.DefaultClass)}
	secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "late", Finalizers: finalizers}}
	resource := &resourcesv1alpha1.ManagedResource{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "late", Finalizers: finalizers},
		Spec:       resourcesv1alpha1.ManagedResourceSpec{SecretRefs: []corev1.LocalObjectReference{{Name: "late"}}},
	}
	live := fake.NewClientBuilder().WithScheme(scheme).WithObjects(secret, resource).WithStatusSubresource(resource).Build()
	cached := interceptor.NewClient(live, interceptor.Funcs{
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			err := c.List(ctx, list, opts...)
			if metadata, ok := list.(*metav1.PartialObjectMetadataList); ok {
				for i := range metadata.Items {
					metadata.Items[i].Finalizers = nil
				}
			}
			return err
		},
	})
	if err := live.Delete(t.Context(), resource); err != nil {
		t.Fatal(err)
	}
	r := &managedresource.Reconciler{Source: cached, Reader: live, Target: live, Clock: clock.RealClock{}, Class: managedresource.DefaultClass, SyncPeriod: time.Minute}
	if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(resource)}); err != nil {
		t.Fatal(err)
	}
	if err := live.Get(t.Context(), client.ObjectKeyFromObject(resource), resource); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("GRM-6 the ManagedResource is still there: %v", err)
	}
	if err := live.Get(t.Context(), client.ObjectKeyFromObject(secret), secret); err != nil || len(secret.Finalizers) > 0 {
		t.Errorf("GRM-6 the Secret keeps finalizers %v: %v", secret.Finalizers, err)
	}
}
