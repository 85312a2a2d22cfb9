package worker

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

const asleepNamespace = "shoot--p--s"

// newAsleep returns an actuator of a seed in which no machine controller runs: objects keep the status they have.
func newAsleep(t *testing.T, objects ...client.Object) *Actuator {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{corev1.AddToScheme, v1alpha1.AddToScheme, extensionsv1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: asleepNamespace, Name: "osc-result-init"},
		Data:       map[string][]byte{"cloud_config": []byte("boot")},
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(append(objects, secret)...).Build()
	return &Actuator{Client: c, Reader: c, Clock: time.Now, Image: "image"}
}

func asleepCluster(asleep bool) *contract.Cluster {
	cluster := newCluster("1.36.3")
	cluster.Shoot.Spec.Hibernation = &gardencorev1beta1.Hibernation{Enabled: ptr.To(asleep)}
	return cluster
}

func newWorker(pools ...extensionsv1alpha1.WorkerPool) *extensionsv1alpha1.Worker {
	return &extensionsv1alpha1.Worker{
		ObjectMeta: metav1.ObjectMeta{Namespace: asleepNamespace, Name: "s"},
		Spec:       extensionsv1alpha1.WorkerSpec{Pools: pools},
	}
}

func TestAsleep(t *testing.T) {
	changed := newPool()
	changed.MachineType = "larger"
	observed := deployment(2, 2, 2, 2)
	observed.Name, observed.Namespace = asleepNamespace+"-pool-z1", asleepNamespace
	former := observed.DeepCopy()
	former.Name, former.Labels, former.Finalizers = asleepNamespace+"-former-z1", map[string]string{nameLabel: asleepNamespace + "-former-z1"}, []string{"machine"}
	last := &v1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: asleepNamespace, Name: "m", Labels: map[string]string{nameLabel: observed.Name}}}
	for name, tc := range map[string]struct {
		pool    extensionsv1alpha1.WorkerPool
		objects []client.Object
		awake   bool
		waits   string
	}{
		"GLT-40 a shoot that was created hibernated never had a machine controller": {pool: newPool()},
		"GLT-40 a pool changes while its shoot sleeps":                              {pool: changed, objects: []client.Object{observed}},
		"GLT-40 a pool is removed while its shoot sleeps":                           {pool: newPool(), objects: []client.Object{former}},
		"GLT-40 a shoot falls asleep when its last machine is gone":                 {pool: newPool(), objects: []client.Object{observed, last}, waits: "waiting for 1 machines to go"},
		"GLT-40 a shoot that wakes up waits for its machines":                       {pool: newPool(), awake: true, waits: "waiting for machines: shoot--p--s-pool-z1 has 0 of 2"},
	} {
		t.Run(name, func(t *testing.T) {
			a, worker := newAsleep(t, tc.objects...), newWorker(tc.pool)
			err := a.Reconcile(t.Context(), asleepCluster(!tc.awake), worker)
			var waiting contract.Waiting
			if errors.As(err, &waiting) != (tc.waits != "") || tc.waits == "" && err != nil || tc.waits != "" && err.Error() != tc.waits {
				t.Errorf("Reconcile: %v, want %q", err, tc.waits)
			}
		})
	}
}

func TestAsleepScales(t *testing.T) {
	observed := deployment(2, 2, 2, 2)
	observed.Name, observed.Namespace = asleepNamespace+"-pool-z1", asleepNamespace
	a := newAsleep(t, observed)
	if err := a.Reconcile(t.Context(), asleepCluster(true), newWorker(newPool())); err != nil {
		t.Fatal(err)
	}
	if err := a.Client.Get(t.Context(), client.ObjectKeyFromObject(observed), observed); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(int32(0), observed.Spec.Replicas); diff != "" {
		t.Errorf("GLT-40 machines of a sleeping shoot (-want +got):\n%s", diff)
	}
}
