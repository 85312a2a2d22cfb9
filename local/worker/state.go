package worker

import (
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// state is the data that another seed needs to take over the machines.
type state struct {
	MachineDeployments map[string]deploymentState `json:"machineDeployments,omitempty"`
	// MachineClasses are those that the objects above use, also those that a rolling update has not replaced everywhere. They have no
	// user data, which let machines join the shoot.
	MachineClasses []v1alpha1.MachineClass `json:"machineClasses,omitempty"`
}

// deploymentState is one MachineDeployment with its sets and machines.
type deploymentState struct {
	Replicas    int32                 `json:"replicas"`
	MachineSets []v1alpha1.MachineSet `json:"machineSets,omitempty"`
	Machines    []v1alpha1.Machine    `json:"machines,omitempty"`
}

// newState describes the existing machine objects. It leaves out machines that do not exist at the provider yet.
func newState(objects machineObjects) state {
	s := state{MachineDeployments: map[string]deploymentState{}}
	used := sets.New[string]()
	for _, deployment := range objects.deployments {
		one := deploymentState{Replicas: deployment.Spec.Replicas}
		used.Insert(deployment.Spec.Template.Spec.Class.Name)
		for _, set := range objects.sets {
			if set.Labels[nameLabel] == deployment.Name && set.Spec.Replicas > 0 {
				one.MachineSets = append(one.MachineSets, v1alpha1.MachineSet{ObjectMeta: portable(set.ObjectMeta), Spec: set.Spec})
			}
		}
		for _, machine := range objects.machines {
			if machine.Labels[nameLabel] == deployment.Name && machine.Spec.ProviderID != "" && machine.DeletionTimestamp == nil {
				one.Machines = append(one.Machines, v1alpha1.Machine{ObjectMeta: portable(machine.ObjectMeta), Spec: machine.Spec})
			}
		}
		used.Insert(one.classes()...)
		s.MachineDeployments[deployment.Name] = one
	}
	for _, class := range objects.classes {
		if used.Has(class.Name) {
			class.TypeMeta, class.ObjectMeta = metav1.TypeMeta{}, portable(class.ObjectMeta)
			s.MachineClasses = append(s.MachineClasses, class)
		}
	}
	return s
}

// classes are the names of the classes that sets and machines use.
func (d deploymentState) classes() []string {
	used := sets.New[string]()
	for _, machine := range d.Machines {
		used.Insert(machine.Spec.Class.Name)
	}
	for _, set := range d.MachineSets {
		used.Insert(set.Spec.Template.Spec.Class.Name)
	}
	return sets.List(used.Delete(""))
}

// class is a saved class; nil if there is none of this name.
func (s state) class(name string) *v1alpha1.MachineClass {
	if i := slices.IndexFunc(s.MachineClasses, func(c v1alpha1.MachineClass) bool { return c.Name == name }); i >= 0 {
		return &s.MachineClasses[i]
	}
	return nil
}

// addClasses adds the classes of other that s does not have, and reports whether there were any.
func (s *state) addClasses(other state) (added bool) {
	for _, class := range other.MachineClasses {
		if s.class(class.Name) == nil {
			s.MachineClasses, added = append(s.MachineClasses, class), true
		}
	}
	return added
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

// covers reports whether s contains everything in other, apart from classes.
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
