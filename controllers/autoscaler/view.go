package autoscaler

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/autoscaler/group"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/simulate"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// view is what one round sees.
type view struct {
	groups map[string]*group.Group
	// machines are the machines of each group that are not being removed. machineOf finds one by the name of its node.
	machines  map[string][]*machinev1alpha1.Machine
	machineOf map[string]*machinev1alpha1.Machine
	groupOf   map[string]*group.Group // by the name of a node
	// usable are the nodes that pods can use now. all also contains those that are not ready.
	usable, all *simulate.Cluster
	nodes       map[string]*corev1.Node // as they are
	pending     []*corev1.Pod
	daemonSets  []appsv1.DaemonSet
	budgets     []policyv1.PodDisruptionBudget
}

// look reads both clusters. It reads machines before the objects that decide about their number.
func (s *Scaler) look(ctx context.Context) (*view, error) {
	v := &view{
		groups: map[string]*group.Group{}, machines: map[string][]*machinev1alpha1.Machine{}, machineOf: map[string]*machinev1alpha1.Machine{},
		groupOf: map[string]*group.Group{}, usable: &simulate.Cluster{}, all: &simulate.Cluster{}, nodes: map[string]*corev1.Node{},
	}
	machines, sets := &machinev1alpha1.MachineList{}, &machinev1alpha1.MachineSetList{}
	deployments, classes := &machinev1alpha1.MachineDeploymentList{}, &machinev1alpha1.MachineClassList{}
	for _, list := range []client.ObjectList{machines, sets, deployments, classes} {
		if err := s.Control.List(ctx, list, client.InNamespace(s.Options.Namespace)); err != nil {
			return nil, fmt.Errorf("list %T: %w", list, err)
		}
	}
	pods, nodes, daemonSets, budgets := &corev1.PodList{}, &corev1.NodeList{}, &appsv1.DaemonSetList{}, &policyv1.PodDisruptionBudgetList{}
	for _, list := range []client.ObjectList{pods, nodes, daemonSets, budgets} {
		if err := s.Target.List(ctx, list); err != nil {
			return nil, fmt.Errorf("list %T: %w", list, err)
		}
	}
	v.daemonSets, v.budgets = daemonSets.Items, budgets.Items
	v.addGroups(s.Groups, deployments.Items)
	v.addMachines(machines.Items, sets.Items)
	v.addNodes(nodes.Items, s.Options.passing())
	v.addPods(pods.Items, s.Options, s.Clock.Now())
	v.addTemplates(deployments.Items, classes.Items, s.Options)
	v.countComing(s.Options.MaxNodeProvisionTime, s.Clock.Now())
	return v, nil
}

func (v *view) addGroups(bounds []group.Bounds, deployments []machinev1alpha1.MachineDeployment) {
	for _, b := range bounds {
		for i := range deployments {
			if d := &deployments[i]; d.Name == b.Name && d.DeletionTimestamp == nil {
				v.groups[b.Name] = &group.Group{
					Bounds: b, Size: int(d.Spec.Replicas), Settings: group.SettingsOf(d),
					Pool: d.Spec.Template.Spec.NodeTemplateSpec.Labels[constants.LabelWorkerPool],
				}
			}
		}
	}
}

// addMachines finds the group of each machine through its set.
func (v *view) addMachines(machines []machinev1alpha1.Machine, sets []machinev1alpha1.MachineSet) {
	ownerOf := map[types.UID]string{}
	for i := range sets {
		if owner := metav1.GetControllerOf(&sets[i]); owner != nil {
			ownerOf[sets[i].UID] = owner.Name
		}
	}
	for i := range machines {
		machine := &machines[i]
		owner := metav1.GetControllerOf(machine)
		if owner == nil || machine.DeletionTimestamp != nil || machine.Status.CurrentStatus.Phase == machinev1alpha1.MachineFailed {
			continue
		}
		g := v.groups[ownerOf[owner.UID]]
		if g == nil {
			continue
		}
		v.machines[g.Name] = append(v.machines[g.Name], machine)
		if node := machine.Labels[machinev1alpha1.NodeLabelKey]; node != "" {
			v.machineOf[node], v.groupOf[node] = machine, g
		}
	}
}

// addNodes leaves out taints that new nodes lose by themselves, because pods that tolerate the other taints will run
// there.
func (v *view) addNodes(nodes []corev1.Node, passing []string) {
	for i := range nodes {
		node := &nodes[i]
		v.nodes[node.Name] = node
		seen := node.DeepCopy()
		seen.Spec.Taints = withoutKeys(node.Spec.Taints, passing)
		v.all.Nodes = append(v.all.Nodes, simulate.NewNode(seen))
		if ready(node) {
			v.usable.Nodes = append(v.usable.Nodes, v.all.Nodes[len(v.all.Nodes)-1])
		}
	}
}

// addPods puts pods, also those that preempt others, on their nodes, and collects the unscheduled pods that count.
func (v *view) addPods(pods []corev1.Pod, o Options, now time.Time) {
	nodes := map[string]*simulate.Node{}
	for _, n := range v.all.Nodes {
		nodes[n.Name] = n
	}
	for i := range pods {
		pod := &pods[i]
		name := pod.Spec.NodeName
		if name == "" {
			name = pod.Status.NominatedNodeName
		}
		if n := nodes[name]; n != nil {
			n.Add(pod)
		} else if name == "" && counts(pod, o, now) {
			v.pending = append(v.pending, pod)
		}
	}
}

// addTemplates prefers an existing node of the group to the machine class, because it has the true size.
func (v *view) addTemplates(deployments []machinev1alpha1.MachineDeployment, classes []machinev1alpha1.MachineClass, o Options) {
	for _, n := range v.usable.Nodes {
		if g := v.groupOf[n.Name]; g != nil && g.Template == nil {
			g.Template = group.FromNode(v.nodes[n.Name], o.passing())
		}
	}
	for i := range deployments {
		d := &deployments[i]
		g := v.groups[d.Name]
		if g == nil || g.Template != nil {
			continue
		}
		for j := range classes {
			if classes[j].Name == d.Spec.Template.Spec.Class.Name {
				g.Template = group.FromClass(&classes[j], d)
				if g.Template != nil {
					g.Template.Spec.Taints = group.Lasting(g.Template.Spec.Taints, o.passing())
				}
			}
		}
	}
}

// countComing counts machines that will become nodes, but not the overdue ones.
func (v *view) countComing(provisioning time.Duration, now time.Time) {
	for _, g := range v.groups {
		there := 0
		for _, machine := range v.machines[g.Name] {
			node := v.nodes[machine.Labels[machinev1alpha1.NodeLabelKey]]
			if node != nil && ready(node) || overdue(machine, g, provisioning, now) {
				there++
			}
		}
		g.Coming = max(0, g.Size-there)
	}
}
