// Package availability decides how the pods of a control plane are replicated and spread, so that it survives the failures that its
// Shoot names. It builds objects and reads nothing from a cluster.
package availability

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Numbers of replicas that survive the failure of one node or zone. Members of etcd need a majority. Controllers elect a leader.
const (
	members     = 3
	servers     = 3
	controllers = 2
)

// Setting says what a control plane must survive, and over how many nodes and zones its seed can spread it.
type Setting struct {
	// Tolerance is empty if the control plane need not survive anything.
	Tolerance    gardencorev1beta1.FailureToleranceType
	Nodes, Zones int
}

// Of returns the setting of a control plane on a seed with these nodes.
func Of(tolerance gardencorev1beta1.FailureToleranceType, nodes []corev1.Node) Setting {
	zones := map[string]bool{}
	for _, node := range nodes {
		if zone := node.Labels[corev1.LabelTopologyZone]; zone != "" {
			zones[zone] = true
		}
	}
	return Setting{Tolerance: tolerance, Nodes: len(nodes), Zones: len(zones)}
}

// Tolerant reports whether the control plane must survive failures.
func (s Setting) Tolerant() bool { return s.Tolerance != "" }

// Members is the number of members of each etcd.
func (s Setting) Members() int32 { return s.number(members) }

// Servers is the number of replicas of kube-apiserver.
func (s Setting) Servers() int32 { return s.number(servers) }

// Controllers is the number of replicas of every other component of which several can run.
func (s Setting) Controllers() int32 { return s.number(controllers) }

func (s Setting) number(tolerant int32) int32 {
	if s.Tolerant() {
		return tolerant
	}
	return 1
}

// Shortfall says why the seed cannot spread the control plane as its Shoot demands; empty if it can.
func (s Setting) Shortfall() string {
	switch {
	case s.Tolerance == gardencorev1beta1.FailureToleranceTypeNode && s.Nodes < members:
		return fmt.Sprintf("The seed has %d of the %d nodes that failure tolerance %q needs, so the failure of one node can stop the control plane.", s.Nodes, members, s.Tolerance)
	case s.Tolerance == gardencorev1beta1.FailureToleranceTypeZone && s.Zones == 0:
		return fmt.Sprintf("No node of the seed has a zone (label %s), and failure tolerance %q needs %d of them, so the failure of one zone can stop the control plane.", corev1.LabelTopologyZone, s.Tolerance, members)
	case s.Tolerance == gardencorev1beta1.FailureToleranceTypeZone && s.Zones < members:
		return fmt.Sprintf("The nodes of the seed are in %d of the %d zones that failure tolerance %q needs, so the failure of one zone can stop the control plane.", s.Zones, members, s.Tolerance)
	}
	return ""
}

// Spread spreads pods with the labels over nodes and zones. If the seed has enough of them, pods stay pending rather than share one.
// Otherwise they share, because a control plane that runs is worth more than one that is spread.
func (s Setting) Spread(labels map[string]string) []corev1.TopologySpreadConstraint {
	if !s.Tolerant() {
		return nil
	}
	out := []corev1.TopologySpreadConstraint{constraint(corev1.LabelHostname, s.Nodes >= members, labels)}
	if s.Tolerance == gardencorev1beta1.FailureToleranceTypeZone {
		out = append(out, constraint(corev1.LabelTopologyZone, s.Zones >= members, labels))
	}
	return out
}

func constraint(key string, must bool, labels map[string]string) corev1.TopologySpreadConstraint {
	otherwise := corev1.ScheduleAnyway
	if must {
		otherwise = corev1.DoNotSchedule
	}
	return corev1.TopologySpreadConstraint{MaxSkew: 1, TopologyKey: key, WhenUnsatisfiable: otherwise, LabelSelector: &metav1.LabelSelector{MatchLabels: labels}}
}

// Apply spreads the pods of a Deployment, and returns the budget that limits their disruption. It changes nothing and returns nil if
// the control plane need not survive anything.
func (s Setting) Apply(deployment *appsv1.Deployment) *policyv1.PodDisruptionBudget {
	if !s.Tolerant() || deployment.Spec.Selector == nil || s.Controllers() > max(ptr.Deref(deployment.Spec.Replicas, 1), 0) {
		return nil
	}
	deployment.Spec.Template.Spec.TopologySpreadConstraints = s.Spread(deployment.Spec.Selector.MatchLabels)
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: deployment.Name, Namespace: deployment.Namespace, Labels: deployment.Labels},
		Spec: policyv1.PodDisruptionBudgetSpec{
			MaxUnavailable: ptr.To(intstr.FromInt32(1)), Selector: deployment.Spec.Selector.DeepCopy(),
			// Pods that cannot become ready must not keep a node from being drained.
			UnhealthyPodEvictionPolicy: ptr.To(policyv1.AlwaysAllow),
		},
	}
}
