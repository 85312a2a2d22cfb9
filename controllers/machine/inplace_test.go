package machine_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	contractmachine "github.com/gardener-up/gardener-up/providers/contract/machine"
)

// updater is a driver that updates machines in place. Each update takes several calls.
type updater struct {
	*driver
	calls map[string]int
	nodes func() []corev1.Node
	most  int // unschedulable nodes at once
}

func (u *updater) Update(_ context.Context, request contractmachine.Request) (bool, error) {
	closed := 0
	for _, node := range u.nodes() {
		if node.Spec.Unschedulable {
			closed++
		}
	}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.most = max(u.most, closed)
	u.calls[request.Machine.Name]++
	if u.calls[request.Machine.Name] < 2 {
		return false, nil
	}
	u.calls[request.Machine.Name] = 0
	u.log = append(u.log, "update to "+request.Class.Name)
	return true, nil
}

func inPlace(w *world, orchestration machinev1alpha1.OrchestrationType) {
	w.Helper()
	w.change(func(d *machinev1alpha1.MachineDeployment) {
		d.Spec.Strategy = machinev1alpha1.MachineDeploymentStrategy{
			Type: machinev1alpha1.InPlaceUpdateMachineDeploymentStrategyType,
			InPlaceUpdate: &machinev1alpha1.InPlaceUpdateMachineDeployment{OrchestrationType: orchestration,
				UpdateConfiguration: machinev1alpha1.UpdateConfiguration{MaxSurge: ptr.To(intstr.FromInt32(0)), MaxUnavailable: ptr.To(intstr.FromInt32(1))}},
		}
	})
}

// uids are the UIDs of the machines and of their nodes, by the name of the machine.
func (w *world) uids() map[string][2]types.UID {
	w.Helper()
	out := map[string][2]types.UID{}
	for _, m := range w.machines() {
		node := &corev1.Node{}
		w.must(w.Get(w.Context(), client.ObjectKey{Name: m.Name}, node))
		out[m.Name] = [2]types.UID{m.UID, node.UID}
	}
	return out
}

// settled waits until all machines have a class, and checks that they are ordinary machines.
func (w *world) settled(class string) {
	w.Helper()
	w.eventually("machines of class "+class, func() error {
		for _, m := range w.machines() {
			node := &corev1.Node{}
			if err := w.Get(w.Context(), client.ObjectKey{Name: m.Name}, node); err != nil {
				return err // it is being deleted
			}
			_, candidate := node.Labels[machinev1alpha1.CandidateForUpdateLabel]
			if m.Spec.Class.Name != class || m.Status.CurrentStatus.Phase != machinev1alpha1.MachineRunning || node.Spec.Unschedulable || candidate {
				return fmt.Errorf("%s is of class %s, %s: %s, unschedulable %t, candidate %t", m.Name, m.Spec.Class.Name, m.Status.CurrentStatus.Phase, m.Status.LastOperation.Description, node.Spec.Unschedulable, candidate)
			}
		}
		return nil
	})
}

func TestInPlaceUpdate(t *testing.T) {
	t.Parallel()
	w := newWorldWithout(t)
	u := &updater{driver: w.driver, calls: map[string]int{}, nodes: func() []corev1.Node {
		var out []corev1.Node
		for name := range w.driver.has() {
			node := corev1.Node{}
			if w.Get(context.Background(), client.ObjectKey{Name: name}, &node) == nil {
				out = append(out, node)
			}
		}
		return out
	}}
	w.startWith(u)
	w.populate(3)
	inPlace(w, machinev1alpha1.OrchestrationTypeAuto)
	w.complete(3)
	before := w.uids()

	t.Run("API-16 machines are updated one after the other, and stay", func(t *testing.T) {
		w := w.in(t)
		w.driver.did()
		w.change(func(d *machinev1alpha1.MachineDeployment) {
			d.Spec.Template.Spec.Class.Name = "large"
			d.Spec.Template.Spec.NodeTemplateSpec.Labels["version"] = "new"
		})
		w.settled("large")
		w.complete(3)
		if diff := cmp.Diff(before, w.uids()); diff != "" {
			t.Errorf("machines and nodes (-before +after):\n%s", diff)
		}
		if diff := cmp.Diff([]string{"update to large", "update to large", "update to large"}, w.driver.did()); diff != "" {
			t.Errorf("driver (-want +got):\n%s", diff)
		}
		if u.most != 1 {
			t.Errorf("%d nodes were unschedulable at once", u.most)
		}
		w.eventually("labels of the new template", func() error {
			for name := range before {
				node := &corev1.Node{}
				w.must(w.Get(t.Context(), client.ObjectKey{Name: name}, node))
				if node.Labels["version"] != "new" {
					return fmt.Errorf("node %s has the labels %v", name, node.Labels)
				}
			}
			return nil
		})
	})

	t.Run("API-16 a larger pool gets new machines, a smaller one loses some", func(t *testing.T) {
		w := w.in(t)
		w.change(func(d *machinev1alpha1.MachineDeployment) { d.Spec.Replicas = 4 })
		w.complete(4)
		w.change(func(d *machinev1alpha1.MachineDeployment) {
			d.Spec.Replicas = 2
			d.Spec.Template.Spec.Class.Name = "small"
		})
		w.settled("small")
		w.complete(2)
	})
}

func TestManualInPlaceUpdate(t *testing.T) {
	t.Parallel()
	w := newWorldWithout(t)
	w.startWith(w.driver) // machines that update themselves
	w.populate(2)
	inPlace(w, machinev1alpha1.OrchestrationTypeManual)
	w.complete(2)
	before := w.uids()
	w.change(func(d *machinev1alpha1.MachineDeployment) { d.Spec.Template.Spec.Class.Name = "large" })

	reason := func(name string) (string, *corev1.Node) {
		node := &corev1.Node{}
		w.must(w.Get(t.Context(), client.ObjectKey{Name: name}, node))
		for _, condition := range node.Status.Conditions {
			if condition.Type == machinev1alpha1.NodeInPlaceUpdate {
				return condition.Reason, node
			}
		}
		return "", node
	}
	await := func(name, want string) {
		t.Helper()
		w.eventually("update of "+name, func() error {
			if got, _ := reason(name); got != want {
				return fmt.Errorf("reason is %q, want %q", got, want)
			}
			return nil
		})
	}
	label := func(name, key, value string) {
		t.Helper()
		_, node := reason(name)
		patched := node.DeepCopy()
		if patched.Labels[key] = value; value == "" {
			delete(patched.Labels, key)
		}
		w.must(w.Patch(t.Context(), patched, client.MergeFrom(node)))
	}
	for name := range before {
		await(name, machinev1alpha1.ReasonCandidateForUpdate)
	}
	picked := names(w.machines())[0]
	label(picked, machinev1alpha1.SelectedForUpdateLabel, "true")
	await(picked, machinev1alpha1.ReasonReadyForUpdate)
	t.Run("API-16 a failed update waits for a person", func(t *testing.T) {
		label(picked, machinev1alpha1.UpdateResultLabel, machinev1alpha1.UpdateFailed)
		await(picked, machinev1alpha1.ReasonUpdateFailed)
		label(picked, machinev1alpha1.UpdateResultLabel, "")
		await(picked, machinev1alpha1.ReasonReadyForUpdate)
	})
	t.Run("API-16 a user picks the machines", func(t *testing.T) {
		label(picked, machinev1alpha1.UpdateResultLabel, machinev1alpha1.UpdateSuccessful)
		await(picked, machinev1alpha1.ReasonUpdateSuccessful)
		w.eventually("one machine of each template", func() error {
			w.must(w.Get(t.Context(), client.ObjectKeyFromObject(w.deployment), w.deployment))
			if got := w.deployment.Status; got.UpdatedReplicas != 1 || got.AvailableReplicas != 2 {
				return fmt.Errorf("%d updated, %d available", got.UpdatedReplicas, got.AvailableReplicas)
			}
			return nil
		})
		for _, m := range w.machines() {
			want := "small"
			if m.Name == picked {
				want = "large"
			}
			if m.Spec.Class.Name != want {
				t.Errorf("%s is of class %s, want %s", m.Name, m.Spec.Class.Name, want)
			}
		}
	})
	t.Run("API-16 a deployment that goes back needs no update", func(t *testing.T) {
		w := w.in(t)
		w.change(func(d *machinev1alpha1.MachineDeployment) { d.Spec.Template.Spec.Class.Name = "small" })
		label(picked, machinev1alpha1.SelectedForUpdateLabel, "true")
		await(picked, machinev1alpha1.ReasonReadyForUpdate)
		label(picked, machinev1alpha1.UpdateResultLabel, machinev1alpha1.UpdateSuccessful)
		w.settled("small")
		w.complete(2)
		if diff := cmp.Diff(before, w.uids()); diff != "" {
			t.Errorf("machines and nodes (-before +after):\n%s", diff)
		}
	})
}
