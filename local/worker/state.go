package worker

import (
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// state is the data that another seed needs to take over the machines.
type state struct {
	MachineDeployments map[string]deploymentState `json:"machineDeployments,omitempty"`
}

// deploymentState is one MachineDeployment with its sets and machines.
type deploymentState struct {
	Replicas    int32                 `json:"replicas"`
	MachineSets []v1alpha1.MachineSet `json:"machineSets,omitempty"`
	Machines    []v1alpha1.Machine    `json:"machines,omitempty"`
}

// newState describes the existing machine objects. It leaves out machines that do not exist at the provider yet.
func newState(deployments []v1alpha1.MachineDeployment, sets []v1alpha1.MachineSet, machines []v1alpha1.Machine) state {
	s := state{MachineDeployments: map[string]deploymentState{}}
	for _, deployment := range deployments {
		one := deploymentState{Replicas: deployment.Spec.Replicas}
		for _, set := range sets {
			if set.Labels[nameLabel] == deployment.Name && set.Spec.Replicas > 0 {
				one.MachineSets = append(one.MachineSets, v1alpha1.MachineSet{ObjectMeta: portable(set.ObjectMeta), Spec: set.Spec})
			}
		}
		for _, machine := range machines {
			if machine.Labels[nameLabel] == deployment.Name && machine.Spec.ProviderID != "" && machine.DeletionTimestamp == nil {
				one.Machines = append(one.Machines, v1alpha1.Machine{ObjectMeta: portable(machine.ObjectMeta), Spec: machine.Spec})
			}
		}
		s.MachineDeployments[deployment.Name] = one
	}
	return s
}

// portable is the metadata that is meaningful in another cluster.
func portable(meta metav1.ObjectMeta) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: meta.Name, Namespace: meta.Namespace, Labels: meta.Labels, Annotations: meta.Annotations}
}

func (s state) encode() (*runtime.RawExtension, error) {
	data, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("encode state: %w", err)
	}
	return &runtime.RawExtension{Raw: data}, nil
}

func decodeState(raw *runtime.RawExtension) (state, error) {
	s := state{}
	if raw == nil || len(raw.Raw) == 0 {
		return s, nil
	}
	if err := json.Unmarshal(raw.Raw, &s); err != nil {
		return s, fmt.Errorf("decode state: %w", err)
	}
	return s, nil
}

// replicas is the number of machines a deployment had, if known.
func (s state) replicas(deployment string) *int32 {
	if one, ok := s.MachineDeployments[deployment]; ok {
		return &one.Replicas
	}
	return nil
}

// covers reports whether s contains everything in other.
func (s state) covers(other state) bool {
	for name, theirs := range other.MachineDeployments {
		ours, ok := s.MachineDeployments[name]
		if !ok || ours.Replicas != theirs.Replicas {
			return false
		}
		for _, machine := range theirs.Machines {
			if !slices.ContainsFunc(ours.Machines, func(m v1alpha1.Machine) bool {
				return m.Name == machine.Name && m.Spec.ProviderID == machine.Spec.ProviderID
			}) {
				return false
			}
		}
	}
	return true
}
