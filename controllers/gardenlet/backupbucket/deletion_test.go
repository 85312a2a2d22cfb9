package backupbucket

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/extensionmirror"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// TestDeletion is about a bucket whose deletion the API server has let pass, for example because an entry came at the same time.
func TestDeletion(t *testing.T) {
	inBucket := &gardencorev1beta1.BackupEntry{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden-dev", Name: "entry"}, Spec: gardencorev1beta1.BackupEntrySpec{BucketName: "bucket"},
	}
	elsewhere := inBucket.DeepCopy()
	elsewhere.Spec.BucketName = "other"
	for name, tc := range map[string]struct {
		entry *gardencorev1beta1.BackupEntry
		fails error // of the list of entries
		kept  bool
	}{
		"BKP-7 a bucket that has an entry stays":                            {inBucket, nil, true},
		"BKP-7 a bucket without entries goes":                               {elsewhere, nil, false},
		"BKP-7 a bucket stays while nobody can tell whether it has entries": {elsewhere, apierrors.NewNotFound(schema.GroupResource{}, ""), true},
	} {
		t.Run(name, func(t *testing.T) {
			scheme := runtime.NewScheme()
			for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, gardencorev1beta1.AddToScheme, extensionsv1alpha1.AddToScheme} {
				if err := add(scheme); err != nil {
					t.Fatal(err)
				}
			}
			bucket := &gardencorev1beta1.BackupBucket{
				ObjectMeta: metav1.ObjectMeta{Name: "bucket", Finalizers: []string{"gardener"}, DeletionTimestamp: ptr.To(metav1.Now())},
				Spec:       gardencorev1beta1.BackupBucketSpec{SeedName: ptr.To("here")},
			}
			garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(bucket, tc.entry).WithStatusSubresource(bucket).WithInterceptorFuncs(interceptor.Funcs{
				List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
					if tc.fails != nil {
						return tc.fails
					}
					return c.List(ctx, list, options...)
				},
			}).Build()
			inSeed := Extension(bucket)
			seed := fake.NewClientBuilder().WithScheme(scheme).WithObjects(inSeed).Build()
			r := &Reconciler{Garden: garden, Reader: garden, SeedName: "here", Mirror: extensionmirror.Mirror{Seed: seed, Clock: clock.RealClock{}}}
			_, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(bucket)})
			if (err != nil) != tc.kept {
				t.Errorf("error is %v", err)
			}
			err = seed.Get(t.Context(), client.ObjectKeyFromObject(inSeed), inSeed)
			if kept := err == nil; kept != tc.kept || client.IgnoreNotFound(err) != nil {
				t.Errorf("the bucket is kept: %t, want %t (%v)", kept, tc.kept, err)
			}
		})
	}
}
