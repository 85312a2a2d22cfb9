package lifecycle

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	seedmanagementv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
)

func TestExpiredCertificate(t *testing.T) {
	now := time.Now()
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		expires  *metav1.Time
		renewed  time.Time // of the lease
		observed int64     // generation of the ManagedSeed, which is at 3
		want     bool
		early    bool // the gardenlet ended before it set its first condition
	}{
		"GCM-24 an expired certificate has the ManagedSeed reconciled":             {ptr.To(metav1.NewTime(now.Add(-time.Second))), now.Add(-time.Hour), 3, true, false},
		"GCM-24 so does that of a gardenlet that ended before its first condition": {ptr.To(metav1.NewTime(now.Add(-time.Second))), now.Add(-time.Hour), 3, true, true},
		"GCM-24 it is not asked again before it has seen the first order":          {ptr.To(metav1.NewTime(now.Add(-time.Second))), now.Add(-time.Hour), 2, false, false},
		"GCM-24 a certificate that is still valid changes nothing":                 {ptr.To(metav1.NewTime(now.Add(time.Second))), now.Add(-time.Hour), 3, false, false},
		"GCM-24 a gardenlet without a certificate changes nothing":                 {nil, now.Add(-time.Hour), 3, false, false},
		"GCM-24 a gardenlet that renews its lease has a certificate, so nothing":   {ptr.To(metav1.NewTime(now.Add(-time.Second))), now, 3, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			seed := &gardencorev1beta1.Seed{
				ObjectMeta: metav1.ObjectMeta{Name: "managed"},
				Status: gardencorev1beta1.SeedStatus{
					ClientCertificateExpirationTimestamp: tc.expires,
					Conditions:                           []gardencorev1beta1.Condition{{Type: gardencorev1beta1.SeedGardenletReady, Status: gardencorev1beta1.ConditionTrue}},
				},
			}
			if tc.early {
				seed.Status.Conditions = nil
			}
			managed := &seedmanagementv1alpha1.ManagedSeed{
				ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "managed", Generation: 3},
				Status:     seedmanagementv1alpha1.ManagedSeedStatus{ObservedGeneration: tc.observed},
			}
			lease := &coordinationv1.Lease{
				ObjectMeta: metav1.ObjectMeta{Namespace: leaseNamespace, Name: "managed"},
				Spec:       coordinationv1.LeaseSpec{RenewTime: &metav1.MicroTime{Time: tc.renewed}},
			}
			garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(seed, managed, lease).WithStatusSubresource(seed).Build()
			r := &Reconciler{Client: garden, Reader: garden, Clock: clocktesting.NewFakePassiveClock(now), SyncPeriod: time.Second, MonitorPeriod: time.Minute, ShootMonitorPeriod: 24 * time.Hour}
			if _, err := r.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(seed)}); err != nil {
				t.Fatal(err)
			}
			if err := garden.Get(t.Context(), client.ObjectKeyFromObject(managed), managed); err != nil {
				t.Fatal(err)
			}
			if got := managed.Annotations["gardener.cloud/operation"] == "reconcile"; got != tc.want {
				t.Errorf("annotations %v", managed.Annotations)
			}
		})
	}
}
