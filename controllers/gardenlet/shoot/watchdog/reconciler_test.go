package watchdog

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/events"
	clocktesting "k8s.io/utils/clock/testing"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

const (
	namespace = "shoot--p--s"
	machines  = 3
)

// world is a shoot with its control plane, in a garden and a seed.
type world struct {
	t      *testing.T
	r      *Reconciler
	garden client.Client
	leases []coordinationv1.Lease
	err    error // of the API server of the shoot
}

func newWorld(t *testing.T) *world {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), gardencorev1beta1.AddToScheme(scheme), machinev1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	shoot := &gardencorev1beta1.Shoot{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s"},
		Spec:       gardencorev1beta1.ShootSpec{SeedName: ptr.To("seed"), Provider: gardencorev1beta1.Provider{Workers: []gardencorev1beta1.Worker{{Name: "one"}}}},
		Status: gardencorev1beta1.ShootStatus{TechnicalID: namespace, SeedName: ptr.To("seed"), LastOperation: &gardencorev1beta1.LastOperation{
			Type: gardencorev1beta1.LastOperationTypeCreate, State: gardencorev1beta1.LastOperationStateSucceeded,
		}},
	}
	w := &world{t: t, garden: fake.NewClientBuilder().WithScheme(scheme).WithObjects(shoot, &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "seed"}}).Build()}
	seed := fake.NewClientBuilder().WithScheme(scheme)
	for _, name := range []string{"cluster-autoscaler", "machine-controller-manager", "kube-controller-manager", "kube-scheduler"} {
		seed = seed.WithObjects(&appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, Labels: map[string]string{"gardener.cloud/role": "controlplane"}},
			Spec:       appsv1.DeploymentSpec{Replicas: ptr.To[int32](1)},
		})
	}
	for i := range machines {
		seed = seed.WithObjects(&machinev1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: "machine-" + nodeName(i), Labels: map[string]string{"node": nodeName(i)}, Finalizers: []string{"machine.sapcloud.io/machine-controller-manager"},
		}})
	}
	w.r = &Reconciler{
		Garden: w.garden, Seed: seed.Build(), Recorder: events.NewFakeRecorder(100), Clock: clocktesting.NewFakePassiveClock(start), SeedName: "seed", Period: time.Second,
		Leases: func(context.Context, string) ([]coordinationv1.Lease, error) { return slices.Clone(w.leases), w.err },
	}
	return w
}

// look lets the watchdog look some times.
func (w *world) look(times int) {
	w.t.Helper()
	for range times {
		if _, err := w.r.Reconcile(w.t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "garden-p", Name: "s"}}); err != nil {
			w.t.Fatal(err)
		}
	}
}

// expect checks how many replicas what acts on nodes has, and that the scheduler runs.
func (w *world) expect(want int32) {
	w.t.Helper()
	for name, want := range map[string]int32{"cluster-autoscaler": want, "machine-controller-manager": want, "kube-controller-manager": want, "kube-scheduler": 1} {
		deployment := &appsv1.Deployment{}
		if err := w.r.Seed.Get(w.t.Context(), client.ObjectKey{Namespace: namespace, Name: name}, deployment); err != nil {
			w.t.Fatal(err)
		}
		if *deployment.Spec.Replicas != want || Stopped(deployment) != (want == 0) {
			w.t.Errorf("%s has %d replicas, want %d; annotations %v", name, *deployment.Spec.Replicas, want, deployment.Annotations)
		}
	}
}

func (w *world) change(change func(*gardencorev1beta1.Shoot)) {
	w.t.Helper()
	shoot := &gardencorev1beta1.Shoot{}
	if err := w.garden.Get(w.t.Context(), client.ObjectKey{Namespace: "garden-p", Name: "s"}, shoot); err != nil {
		w.t.Fatal(err)
	}
	change(shoot)
	if err := w.garden.Update(w.t.Context(), shoot); err != nil {
		w.t.Fatal(err)
	}
}

// machine changes the machine of a node.
func (w *world) machine(i int, change func(*machinev1alpha1.Machine) error) {
	w.t.Helper()
	machine := &machinev1alpha1.Machine{}
	if err := w.r.Seed.Get(w.t.Context(), client.ObjectKey{Namespace: namespace, Name: "machine-" + nodeName(i)}, machine); err != nil {
		w.t.Fatal(err)
	}
	if err := change(machine); err != nil {
		w.t.Fatal(err)
	}
}

func TestMachinesOfProber(t *testing.T) {
	late := time.Minute
	t.Run("leases without machines do not count", func(t *testing.T) {
		w := newWorld(t)
		w.leases = renewed(0, 0, 0, late, late, late, late, late, late, late)
		w.look(5)
		w.expect(1)
	})
	t.Run("leases without machines do not outvote those that are late", func(t *testing.T) {
		w := newWorld(t)
		w.leases = renewed(late, late, late, 0, 0, 0, 0, 0)
		w.look(3)
		w.expect(0)
	})
	for name, change := range map[string]func(*world, *machinev1alpha1.Machine) error{
		"are deleted": func(w *world, m *machinev1alpha1.Machine) error { return w.r.Seed.Delete(w.t.Context(), m) },
		"have failed": func(w *world, m *machinev1alpha1.Machine) error {
			m.Status.CurrentStatus.Phase = machinev1alpha1.MachineFailed
			return w.r.Seed.Update(w.t.Context(), m)
		},
		"terminate": func(w *world, m *machinev1alpha1.Machine) error {
			m.Status.CurrentStatus.Phase = machinev1alpha1.MachineTerminating
			return w.r.Seed.Update(w.t.Context(), m)
		},
		"have no nodes": func(w *world, m *machinev1alpha1.Machine) error {
			m.Labels = nil
			return w.r.Seed.Update(w.t.Context(), m)
		},
	} {
		t.Run("controllers run again when the machines of silent nodes "+name, func(t *testing.T) {
			w := newWorld(t)
			w.leases = renewed(late, late, 0)
			w.look(3)
			w.expect(0)
			for i := range 2 {
				w.machine(i, func(m *machinev1alpha1.Machine) error { return change(w, m) })
			}
			w.look(1)
			w.expect(1)
		})
	}
	t.Run("looks before the API server was silent do not count", func(t *testing.T) {
		w := newWorld(t)
		w.leases = renewed(late, late, late)
		w.look(2)
		w.err = errors.New("boom")
		w.look(1)
		w.err = nil
		w.look(2)
		w.expect(1)
		w.look(1)
		w.expect(0)
	})
}

func TestProber(t *testing.T) {
	off, well := renewed(time.Minute, time.Minute, time.Minute), renewed(0, 0, 0)
	t.Run("controllers are stopped when the nodes stay cut off, and come back with them", func(t *testing.T) {
		w := newWorld(t)
		w.leases = off
		w.look(2)
		w.expect(1)
		w.look(1)
		w.expect(0)
		w.look(1)
		w.expect(0)
		w.leases = well
		w.look(1)
		w.expect(1)
	})
	t.Run("a moment without nodes does not count", func(t *testing.T) {
		w := newWorld(t)
		for range 3 {
			w.leases = off
			w.look(2)
			w.leases = well
			w.look(1)
		}
		w.expect(1)
	})
	t.Run("while the API server does not answer, nothing changes", func(t *testing.T) {
		w := newWorld(t)
		w.leases = off
		w.look(3)
		w.err = errors.New("boom")
		w.look(3)
		w.expect(0)
		w.leases, w.err = well, nil
		w.look(1)
		w.err = errors.New("boom")
		w.look(5)
		w.expect(1)
	})
	for name, change := range map[string]func(*gardencorev1beta1.Shoot){
		"a shoot that falls asleep stops its nodes itself": func(s *gardencorev1beta1.Shoot) {
			s.Spec.Hibernation = &gardencorev1beta1.Hibernation{Enabled: ptr.To(true)}
		},
		"a shoot that is being made has no nodes yet": func(s *gardencorev1beta1.Shoot) {
			s.Status.LastOperation.State = gardencorev1beta1.LastOperationStateProcessing
		},
		"a shoot without workers has no such nodes": func(s *gardencorev1beta1.Shoot) { s.Spec.Provider.Workers = nil },
		"a shoot of another seed":                   func(s *gardencorev1beta1.Shoot) { s.Status.SeedName = ptr.To("other") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.leases = off
			w.change(change)
			w.look(5)
			w.expect(1)
		})
	}
	t.Run("a seed without a prober starts what was stopped", func(t *testing.T) {
		w := newWorld(t)
		w.leases = off
		w.look(3)
		seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "seed"}}
		if err := w.garden.Get(t.Context(), client.ObjectKeyFromObject(seed), seed); err != nil {
			t.Fatal(err)
		}
		seed.Spec.Settings = &gardencorev1beta1.SeedSettings{DependencyWatchdog: &gardencorev1beta1.SeedSettingDependencyWatchdog{Prober: &gardencorev1beta1.SeedSettingDependencyWatchdogProber{}}}
		if err := w.garden.Update(t.Context(), seed); err != nil {
			t.Fatal(err)
		}
		w.look(1)
		w.expect(1)
	})
}

func TestWeeder(t *testing.T) {
	label := func(role string) map[string]string {
		return map[string]string{"gardener.cloud/role": "controlplane", "role": role}
	}
	for name, tc := range map[string]struct{ off, kept bool }{
		"a pod that waits for what is back is deleted": {},
		"not if the seed has no weeder":                {off: true, kept: true},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			server, scheduler := podOf("server", label("apiserver"), start, time.Time{}), podOf("scheduler", label("scheduler"), time.Time{}, start.Add(-time.Minute))
			for _, pod := range []*corev1.Pod{&server, &scheduler} {
				pod.Namespace = namespace
				status := pod.Status
				if err := w.r.Seed.Create(t.Context(), pod); err != nil {
					t.Fatal(err)
				}
				pod.Status = status
				if err := w.r.Seed.Status().Update(t.Context(), pod); err != nil {
					t.Fatal(err)
				}
			}
			deployment := &appsv1.Deployment{}
			if err := w.r.Seed.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "kube-scheduler"}, deployment); err != nil {
				t.Fatal(err)
			}
			deployment.Status.UnavailableReplicas = 1
			if err := w.r.Seed.Status().Update(t.Context(), deployment); err != nil {
				t.Fatal(err)
			}
			if tc.off {
				seed := &gardencorev1beta1.Seed{}
				if err := w.garden.Get(t.Context(), client.ObjectKey{Name: "seed"}, seed); err != nil {
					t.Fatal(err)
				}
				seed.Spec.Settings = &gardencorev1beta1.SeedSettings{DependencyWatchdog: &gardencorev1beta1.SeedSettingDependencyWatchdog{Weeder: &gardencorev1beta1.SeedSettingDependencyWatchdogWeeder{}}}
				if err := w.garden.Update(t.Context(), seed); err != nil {
					t.Fatal(err)
				}
			}
			w.look(1)
			if err := w.r.Seed.Get(t.Context(), client.ObjectKeyFromObject(&scheduler), &corev1.Pod{}); (err == nil) != tc.kept {
				t.Errorf("the scheduler is there: %v", err)
			}
			if err := w.r.Seed.Get(t.Context(), client.ObjectKeyFromObject(&server), &corev1.Pod{}); err != nil {
				t.Errorf("the API server is gone: %v", err)
			}
		})
	}
}
