package set

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

var start = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

func machine(name string, phase machinev1alpha1.MachinePhase, change ...func(*machinev1alpha1.Machine)) *machinev1alpha1.Machine {
	m := &machinev1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(start)}}
	m.Status.CurrentStatus.Phase = phase
	for _, fn := range change {
		fn(m)
	}
	return m
}

func priorityOf(n string) func(*machinev1alpha1.Machine) {
	return func(m *machinev1alpha1.Machine) {
		m.Annotations = map[string]string{machinev1alpha1.MachinePriority: n}
	}
}

func younger(m *machinev1alpha1.Machine)  { m.CreationTimestamp = metav1.NewTime(start.Add(time.Hour)) }
func deleting(m *machinev1alpha1.Machine) { m.DeletionTimestamp = &metav1.Time{Time: start} }

func TestDecide(t *testing.T) {
	const running, pending, failed = machinev1alpha1.MachineRunning, machinev1alpha1.MachinePending, machinev1alpha1.MachineFailed
	for name, tc := range map[string]struct {
		replicas   int32
		machines   []*machinev1alpha1.Machine
		wantCreate int
		wantRemove []string
	}{
		"an empty set is filled":          {replicas: 2, wantCreate: 2},
		"a full set is left alone":        {replicas: 1, machines: []*machinev1alpha1.Machine{machine("a", running)}},
		"machines being deleted are lost": {replicas: 1, machines: []*machinev1alpha1.Machine{machine("a", running, deleting)}, wantCreate: 1},
		"a failed machine is replaced": {
			replicas: 2, machines: []*machinev1alpha1.Machine{machine("a", failed), machine("b", running)},
			wantCreate: 1, wantRemove: []string{"a"},
		},
		"a machine that does not run goes first": {
			replicas: 1, machines: []*machinev1alpha1.Machine{machine("a", running), machine("b", pending)}, wantRemove: []string{"b"},
		},
		"a younger machine goes first": {
			replicas: 1, machines: []*machinev1alpha1.Machine{machine("a", running), machine("b", running, younger)}, wantRemove: []string{"b"},
		},
		"priority comes before all else": {
			replicas: 1, machines: []*machinev1alpha1.Machine{machine("a", running, priorityOf("1")), machine("b", pending)}, wantRemove: []string{"a"},
		},
		"a priority that is no number counts as the default": {
			replicas: 1, machines: []*machinev1alpha1.Machine{machine("a", running, priorityOf("x")), machine("b", running, priorityOf("2"))}, wantRemove: []string{"b"},
		},
		"all go": {
			machines: []*machinev1alpha1.Machine{machine("a", running), machine("b", running)}, wantRemove: []string{"a", "b"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := decide(&machinev1alpha1.MachineSet{Spec: machinev1alpha1.MachineSetSpec{Replicas: tc.replicas}}, tc.machines)
			var removed []string
			for _, m := range d.remove {
				removed = append(removed, m.Name)
			}
			if d.create != tc.wantCreate {
				t.Errorf("create %d, want %d", d.create, tc.wantCreate)
			}
			if diff := cmp.Diff(tc.wantRemove, removed); diff != "" {
				t.Errorf("remove (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSetStatus(t *testing.T) {
	runs := func(since time.Duration) func(*machinev1alpha1.Machine) {
		return func(m *machinev1alpha1.Machine) {
			m.Status.CurrentStatus.LastUpdateTime = metav1.NewTime(start.Add(since))
			m.Labels = map[string]string{"pool": "a"}
		}
	}
	set := &machinev1alpha1.MachineSet{Spec: machinev1alpha1.MachineSetSpec{MinReadySeconds: 10}}
	set.Generation = 7
	set.Spec.Template.Labels = map[string]string{"pool": "a"}
	machines := []*machinev1alpha1.Machine{
		machine("old", machinev1alpha1.MachineRunning, runs(0)),
		machine("new", machinev1alpha1.MachineRunning, runs(55*time.Second)),
		machine("pending", machinev1alpha1.MachinePending),
		machine("failed", machinev1alpha1.MachineFailed),
		machine("going", machinev1alpha1.MachineRunning, deleting),
	}
	again := setStatus(set, machines, nil, start.Add(time.Minute))

	want := machinev1alpha1.MachineSetStatus{
		ObservedGeneration: 7, Replicas: 3, FullyLabeledReplicas: 2, ReadyReplicas: 2, AvailableReplicas: 1,
		FailedMachines: &[]machinev1alpha1.MachineSummary{{Name: "failed"}},
	}
	if diff := cmp.Diff(want, set.Status); diff != "" {
		t.Errorf("status (-want +got):\n%s", diff)
	}
	if again != 5*time.Second {
		t.Errorf("look again after %s, want 5s, when the new machine is available", again)
	}

	t.Run("a failed machine is told about until it is gone", func(t *testing.T) {
		setStatus(set, []*machinev1alpha1.Machine{machine("failed", machinev1alpha1.MachineTerminating, deleting)}, nil, start)
		if set.Status.FailedMachines == nil {
			t.Error("forgotten while it is being deleted")
		}
		setStatus(set, nil, nil, start)
		if set.Status.FailedMachines != nil {
			t.Errorf("still told: %v", *set.Status.FailedMachines)
		}
	})
}
