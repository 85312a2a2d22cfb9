package autoscaler

import (
	"context"
	"fmt"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/autoscaler/group"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/scaledown"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/scaleup"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

// priorityOfUnneeded ranks machines to be removed first below all others.
const priorityOfUnneeded = 1

// resize adds to the size of a group, within its bounds, and returns the new size. It fails if the size has changed
// in the meantime.
func (s *Scaler) resize(ctx context.Context, g *group.Group, by int) (int, error) {
	deployment := &machinev1alpha1.MachineDeployment{}
	if err := s.Control.Get(ctx, client.ObjectKey{Namespace: s.Options.Namespace, Name: g.Name}, deployment); err != nil {
		return 0, fmt.Errorf("read machine deployment %q: %w", g.Name, err)
	}
	if int(deployment.Spec.Replicas) != g.Size {
		return 0, fmt.Errorf("size of machine deployment %q has changed from %d to %d", g.Name, g.Size, deployment.Spec.Replicas)
	}
	size := min(max(g.Size+by, g.Min), g.Max)
	before := deployment.DeepCopy()
	deployment.Spec.Replicas = int32(size)
	err := s.Control.Patch(ctx, deployment, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
	if err != nil {
		return 0, fmt.Errorf("set size of machine deployment %q to %d: %w", g.Name, size, err)
	}
	return size, nil
}

// remove drains a node and removes exactly its machine. After a failure half-way, the change is undone now or, after
// a crash, by unmark.
func (s *Scaler) remove(ctx context.Context, v *view, c scaledown.Candidate) error {
	node, machine := v.nodes[c.Node.Name], v.machineOf[c.Node.Name]
	if err := s.taint(ctx, node, true); err != nil {
		return err
	}
	for _, pod := range c.Moving {
		if err := s.evict(ctx, pod); err != nil {
			if undone := s.taint(ctx, node, false); undone != nil {
				s.Log.Error(undone, "Could not take the mark from a node", "node", node.Name)
			}
			return fmt.Errorf("empty node %q: %w", node.Name, err)
		}
	}
	if err := s.release(ctx, c.Group, machine); err != nil {
		return err
	}
	s.memory.deleted = s.Clock.Now()
	delete(s.memory.unneeded, node.Name)
	s.Log.Info("Removed a node that nobody needs", "node", node.Name, "machine", machine.Name, "movingPods", len(c.Moving))
	s.Recorder.Eventf(node, nil, corev1.EventTypeNormal, "ScaleDown", "ScaleDown", "node removed by cluster autoscaler")
	return nil
}

// release first ranks a machine below all others and then makes the group smaller by one.
func (s *Scaler) release(ctx context.Context, g *group.Group, machine *machinev1alpha1.Machine) error {
	if err := s.mark(ctx, machine, priorityOfUnneeded); err != nil {
		return err
	}
	size, err := s.resize(ctx, g, -1)
	if err != nil {
		return err
	}
	g.Size = size
	return nil
}

// mark sets the rank of a machine for scaling down. The lowest rank is removed first.
func (s *Scaler) mark(ctx context.Context, machine *machinev1alpha1.Machine, priority int) error {
	fresh := &machinev1alpha1.Machine{}
	if err := s.Control.Get(ctx, client.ObjectKeyFromObject(machine), fresh); err != nil {
		return fmt.Errorf("read machine %q: %w", machine.Name, err)
	}
	err := patch.Metadata(ctx, s.Control, fresh, func() {
		metav1.SetMetaDataAnnotation(&fresh.ObjectMeta, machinev1alpha1.MachinePriority, strconv.Itoa(priority))
	})
	if err != nil {
		return fmt.Errorf("set priority of machine %q: %w", machine.Name, err)
	}
	return nil
}

// taint adds or removes the taint that keeps new pods away from a node.
func (s *Scaler) taint(ctx context.Context, node *corev1.Node, on bool) error {
	fresh := &corev1.Node{}
	if err := s.TargetReader.Get(ctx, client.ObjectKeyFromObject(node), fresh); err != nil {
		return fmt.Errorf("read node %q: %w", node.Name, err)
	}
	err := patch.Metadata(ctx, s.Target, fresh, func() {
		fresh.Spec.Taints = slices.DeleteFunc(fresh.Spec.Taints, func(taint corev1.Taint) bool { return taint.Key == group.ToBeDeletedTaint })
		if on {
			fresh.Spec.Taints = append(fresh.Spec.Taints, corev1.Taint{
				Key: group.ToBeDeletedTaint, Value: strconv.FormatInt(s.Clock.Now().Unix(), 10), Effect: corev1.TaintEffectNoSchedule,
			})
		}
	})
	if err != nil {
		return fmt.Errorf("change taints of node %q: %w", node.Name, err)
	}
	return nil
}

// evict asks a pod to leave, with a grace period no longer than the settings permit. A disruption budget may refuse.
func (s *Scaler) evict(ctx context.Context, pod *corev1.Pod) error {
	grace := min(ptr.Deref(pod.Spec.TerminationGracePeriodSeconds, 30), int64(s.Options.MaxGracefulTermination.Seconds()))
	eviction := &policyv1.Eviction{DeleteOptions: &metav1.DeleteOptions{GracePeriodSeconds: &grace}}
	if err := s.Target.SubResource("eviction").Create(ctx, pod, eviction); err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("evict pod %q: %w", client.ObjectKeyFromObject(pod), err)
	}
	return nil
}

// prioritiesConfigMap is the ConfigMap in which users rank groups for the expander priority.
var prioritiesConfigMap = client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: "cluster-autoscaler-priority-expander"}

// expanders are the expanders of the command line. Ranks are read for each decision.
func (s *Scaler) expanders(ctx context.Context) ([]scaleup.Expander, error) {
	return scaleup.ParseExpanders(s.Options.Expander, func() scaleup.Priorities {
		config := &corev1.ConfigMap{}
		if err := s.TargetReader.Get(ctx, prioritiesConfigMap, config); err != nil {
			s.Log.Error(err, "Could not read the priorities of groups")
			return nil
		}
		priorities, err := scaleup.ParsePriorities(config.Data["priorities"])
		if err != nil {
			s.Log.Error(err, "The priorities of groups make no sense")
		}
		return priorities
	})
}
