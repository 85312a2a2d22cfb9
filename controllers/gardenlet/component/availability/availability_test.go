package availability

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	node = gardencorev1beta1.FailureToleranceTypeNode
	zone = gardencorev1beta1.FailureToleranceTypeZone
)

// nodesIn makes a node in each of the zones.
func nodesIn(zones ...string) (out []corev1.Node) {
	for _, zone := range zones {
		out = append(out, corev1.Node{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{corev1.LabelTopologyZone: zone}}})
	}
	return out
}

func TestSpread(t *testing.T) {
	for name, tc := range map[string]struct {
		tolerance gardencorev1beta1.FailureToleranceType
		nodes     []corev1.Node
		want      string
		lacks     string
	}{
		"an ordinary control plane is not spread":                  {nodes: nodesIn("a", "b", "c")},
		"three nodes must not be shared":                           {tolerance: node, nodes: nodesIn("a", "a", "a"), want: "hostname DoNotSchedule"},
		"one node must be shared, which is said":                   {tolerance: node, nodes: nodesIn("a"), want: "hostname ScheduleAnyway", lacks: "1 of the 3 nodes"},
		"three zones must not be shared":                           {tolerance: zone, nodes: nodesIn("a", "b", "c"), want: "hostname DoNotSchedule, zone DoNotSchedule"},
		"zones that are no zones of nodes do not count":            {tolerance: zone, nodes: nodesIn("", "", ""), want: "hostname DoNotSchedule, zone ScheduleAnyway", lacks: "No node of the seed has a zone"},
		"three nodes in one zone are apart, but not in zones":      {tolerance: zone, nodes: nodesIn("a", "a", "a"), want: "hostname DoNotSchedule, zone ScheduleAnyway", lacks: "1 of the 3 zones"},
		"a control plane for nodes does not care about their zone": {tolerance: node, nodes: nodesIn("a", "b"), want: "hostname ScheduleAnyway", lacks: "2 of the 3 nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			setting := Of(tc.tolerance, tc.nodes)
			var got []string
			for _, c := range setting.Spread(map[string]string{"app": "etcd"}) {
				_, key, _ := strings.Cut(c.TopologyKey, "/")
				got = append(got, key+" "+string(c.WhenUnsatisfiable))
				if c.MaxSkew != 1 || c.LabelSelector.MatchLabels["app"] != "etcd" {
					t.Errorf("constraint %+v", c)
				}
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, ", ")); diff != "" {
				t.Errorf("constraints (-want +got):\n%s", diff)
			}
			if shortfall := setting.Shortfall(); !strings.Contains(shortfall, tc.lacks) || tc.lacks == "" && shortfall != "" {
				t.Errorf("shortfall is %q, want %q", shortfall, tc.lacks)
			}
		})
	}
}

func TestApply(t *testing.T) {
	for name, tc := range map[string]struct {
		tolerance gardencorev1beta1.FailureToleranceType
		replicas  int32
		want      bool
	}{
		"a component with several replicas": {node, 2, true},
		"a component that runs once":        {node, 1, false},
		"a component that sleeps":           {node, 0, false},
		"an ordinary control plane":         {"", 2, false},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "server", Namespace: "shoot--p--s"}, Spec: appsv1.DeploymentSpec{
				Replicas: ptr.To(tc.replicas), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "server"}},
			}}
			budget := Of(tc.tolerance, nodesIn("a", "a", "a")).Apply(deployment)
			if spread := len(deployment.Spec.Template.Spec.TopologySpreadConstraints) > 0; spread != tc.want || (budget != nil) != tc.want {
				t.Fatalf("spread is %t, budget %+v", spread, budget)
			}
			if tc.want && (budget.Name != "server" || budget.Spec.MaxUnavailable.IntValue() != 1 || budget.Spec.Selector.MatchLabels["app"] != "server") {
				t.Errorf("budget %+v", budget)
			}
		})
	}
}

func TestReplicas(t *testing.T) {
	if s := (Setting{}); s.Members() != 1 || s.Servers() != 1 || s.Controllers() != 1 {
		t.Errorf("an ordinary control plane has %d members, %d servers and %d controllers", s.Members(), s.Servers(), s.Controllers())
	}
	if s := (Setting{Tolerance: zone}); s.Members() != 3 || s.Servers() < 2 || s.Controllers() < 2 {
		t.Errorf("a tolerant one has %d members, %d servers and %d controllers", s.Members(), s.Servers(), s.Controllers())
	}
}
