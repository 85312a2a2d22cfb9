package etcd

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// TestLeft restores a shoot on a seed that still has etcds of it, with data.
func TestLeft(t *testing.T) {
	for name, tc := range map[string]struct {
		bucket string
		left   int
	}{
		"MIG-15 etcds from before the shoot left are removed with their data": {"uid-old", 0},
		"MIG-4 etcds that this restoration has made stay":                     {"uid-new", 2},
	} {
		t.Run(name, func(t *testing.T) {
			entry := &gardencorev1beta1.BackupEntry{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "shoot--p--s--1"}, Spec: gardencorev1beta1.BackupEntrySpec{BucketName: tc.bucket}}
			m := newMove(t, func(string, runtime.Object) bool { return false }, entry)
			scheme := runtime.NewScheme()
			for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, druidv1alpha1.AddToScheme} {
				if err := add(scheme); err != nil {
					t.Fatal(err)
				}
			}
			volume := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--p--s", Name: "etcd-main-etcd-main-0"}}
			c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(object(roles[0], "shoot--p--s"), object(roles[1], "shoot--p--s"), volume).Build()
			space := seed.New("shoot--p--s", "", c, nil, clocktesting.NewFakePassiveClock(time.Now()))
			if err := (Left{Etcd: Etcd{Space: space}, Source: m.source}).Remove(t.Context()); err != nil {
				t.Fatal(err)
			}
			var etcds druidv1alpha1.EtcdList
			var volumes corev1.PersistentVolumeClaimList
			if err := c.List(t.Context(), &etcds); err != nil {
				t.Fatal(err)
			}
			if err := c.List(t.Context(), &volumes); err != nil {
				t.Fatal(err)
			}
			if len(etcds.Items) != tc.left || len(volumes.Items) != tc.left/2 {
				t.Errorf("%d etcds and %d volumes are left, want %d and %d", len(etcds.Items), len(volumes.Items), tc.left, tc.left/2)
			}
		})
	}
}
