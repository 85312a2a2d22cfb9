package worker

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

func deployment(wanted, replicas, updated, available int32) *v1alpha1.MachineDeployment {
	return &v1alpha1.MachineDeployment{
		ObjectMeta: metav1.ObjectMeta{Name: "d", Generation: 2},
		Spec:       v1alpha1.MachineDeploymentSpec{Replicas: wanted},
		Status: v1alpha1.MachineDeploymentStatus{
			ObservedGeneration: 2, Replicas: replicas, UpdatedReplicas: updated, AvailableReplicas: available,
		},
	}
}

func TestSurplus(t *testing.T) {
	for name, tc := range map[string]struct {
		deployments []*v1alpha1.MachineDeployment
		machines    int
		waits       string
	}{
		"as many machines as wanted":                          {deployments: []*v1alpha1.MachineDeployment{deployment(2, 2, 2, 2), deployment(1, 1, 1, 1)}, machines: 3},
		"EXT-11 a hibernated pool waits for its last machine": {deployments: []*v1alpha1.MachineDeployment{deployment(0, 0, 0, 0)}, machines: 1, waits: "waiting for 1 machines to go"},
		"EXT-11 a replaced machine still ends":                {deployments: []*v1alpha1.MachineDeployment{deployment(2, 2, 2, 2)}, machines: 3, waits: "waiting for 1 machines to go"},
	} {
		t.Run(name, func(t *testing.T) {
			err := surplus(tc.deployments, make([]v1alpha1.Machine, tc.machines))
			if got := fmt.Sprint(err); err == nil && tc.waits != "" || err != nil && got != tc.waits {
				t.Errorf("surplus is %v, want %q", err, tc.waits)
			}
		})
	}
}

func TestReady(t *testing.T) {
	stale := deployment(1, 1, 1, 1)
	stale.Status.ObservedGeneration = 1
	broken := deployment(1, 1, 1, 0)
	broken.Status.FailedMachines = []*v1alpha1.MachineSummary{{Name: "m", LastOperation: v1alpha1.LastOperation{ErrorCode: "ResourceExhausted", Description: "no room"}}}
	slow := deployment(1, 1, 1, 0)
	slow.Status.FailedMachines = []*v1alpha1.MachineSummary{{Name: "m", LastOperation: v1alpha1.LastOperation{ErrorCode: "Internal", Description: "hm"}}}
	for name, tc := range map[string]struct {
		deployments []*v1alpha1.MachineDeployment
		waits       string
		codes       []gardencorev1beta1.ErrorCode
	}{
		"EXT-11 no pools are ready":                                    {},
		"EXT-11 all machines run":                                      {deployments: []*v1alpha1.MachineDeployment{deployment(2, 2, 2, 2)}},
		"EXT-11 a hibernated pool is ready without machines":           {deployments: []*v1alpha1.MachineDeployment{deployment(0, 0, 0, 0)}},
		"EXT-11 machines are missing":                                  {deployments: []*v1alpha1.MachineDeployment{deployment(2, 2, 2, 1)}, waits: "waiting for machines: d has 1 of 2"},
		"EXT-11 old machines are still there":                          {deployments: []*v1alpha1.MachineDeployment{deployment(1, 2, 1, 1)}, waits: "waiting for machines: d has 1 of 1 and 1 old"},
		"EXT-11 the controller has not looked yet":                     {deployments: []*v1alpha1.MachineDeployment{stale}, waits: "waiting for machines: d has 1 of 1"},
		"EXT-11 a failure that may pass is waited for, and told":       {deployments: []*v1alpha1.MachineDeployment{slow}, waits: "waiting for machines: d has 0 of 1 (m: hm)"},
		"GLT-37 a failure users should know about comes with its code": {deployments: []*v1alpha1.MachineDeployment{broken}, codes: []gardencorev1beta1.ErrorCode{"ERR_INFRA_RESOURCES_DEPLETED"}},
	} {
		t.Run(name, func(t *testing.T) {
			err := ready(tc.deployments)
			var waiting contract.Waiting
			if errors.As(err, &waiting) != (tc.waits != "") || tc.waits != "" && err.Error() != tc.waits {
				t.Errorf("ready is %v, want %q", err, tc.waits)
			}
			if diff := cmp.Diff(tc.codes, contract.Codes(err)); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
			if err == nil && (tc.waits != "" || tc.codes != nil) {
				t.Errorf("ready without reason")
			}
		})
	}
}

func TestState(t *testing.T) {
	label := map[string]string{nameLabel: "d"}
	machine := v1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Name: "m", Labels: label, UID: "1", Finalizers: []string{"f"}}, Spec: v1alpha1.MachineSpec{ProviderID: "local:///ns/m"}}
	unborn := v1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Name: "n", Labels: label}}
	set := v1alpha1.MachineSet{ObjectMeta: metav1.ObjectMeta{Name: "d-1", Labels: label}, Spec: v1alpha1.MachineSetSpec{Replicas: 1}}
	d := *deployment(1, 1, 1, 1)
	d.Spec.Template.Spec.Class.Name, set.Spec.Template.Spec.Class.Name, machine.Spec.Class.Name = "new", "new", "old" // in a rolling update
	class := func(name string) v1alpha1.MachineClass {
		return v1alpha1.MachineClass{
			ObjectMeta:   metav1.ObjectMeta{Name: name, UID: "2", Finalizers: []string{"f"}},
			NodeTemplate: &v1alpha1.NodeTemplate{InstanceType: name}, SecretRef: &corev1.SecretReference{Name: name},
		}
	}
	full := newState(machineObjects{
		deployments: []v1alpha1.MachineDeployment{d}, sets: []v1alpha1.MachineSet{set}, machines: []v1alpha1.Machine{machine, unborn},
		classes: []v1alpha1.MachineClass{class("gone"), class("new"), class("old")},
	})

	raw, err := full.encode()
	if err != nil {
		t.Fatalf("encode: %v", err)
	}
	decoded, err := decodeState(raw)
	if err != nil {
		t.Fatalf("decode: %v", err)
	}
	want := state{MachineDeployments: map[string]deploymentState{"d": {
		Replicas:    1,
		MachineSets: []v1alpha1.MachineSet{{ObjectMeta: metav1.ObjectMeta{Name: "d-1", Labels: label}, Spec: set.Spec}},
		Machines:    []v1alpha1.Machine{{ObjectMeta: metav1.ObjectMeta{Name: "m", Labels: label}, Spec: machine.Spec}},
	}}}
	for _, name := range []string{"new", "old"} {
		saved := class(name)
		saved.ObjectMeta = metav1.ObjectMeta{Name: name}
		want.MachineClasses = append(want.MachineClasses, saved)
	}
	if diff := cmp.Diff(want, decoded); diff != "" {
		t.Errorf("MIG-8 state after a round trip (-want +got):\n%s", diff)
	}
	if !full.covers(newState(machineObjects{deployments: []v1alpha1.MachineDeployment{d}})) {
		t.Errorf("MIG-8 the state does not cover less than it holds")
	}
	former := state{MachineDeployments: full.MachineDeployments} // of a version that saved no classes
	if !former.addClasses(full) || former.addClasses(full) || len(former.MachineClasses) != 2 {
		t.Errorf("MIG-8 classes are added as %+v", former.MachineClasses)
	}
	if (state{}).covers(full) {
		t.Errorf("MIG-8 an empty state covers machines")
	}
}
