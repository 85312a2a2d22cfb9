package scaleup

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/autoscaler/group"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/simulate"
)

func template(cpu string, labels map[string]string, taints ...corev1.Taint) *corev1.Node {
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.NodeSpec{Taints: taints},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("8Gi"), corev1.ResourcePods: resource.MustParse("10")}},
	}
}

func machines(name string, size, most int, cpu string, change ...func(*group.Group)) *group.Group {
	g := &group.Group{Bounds: group.Bounds{Name: name, Max: most}, Size: size, Template: template(cpu, map[string]string{"pool": name})}
	for _, f := range change {
		f(g)
	}
	return g
}

func ofPool(pool string) func(*group.Group) { return func(g *group.Group) { g.Pool = pool } }

func pods(n int, cpu string, selector map[string]string) []*corev1.Pod {
	var out []*corev1.Pod
	for i := range n {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: fmt.Sprintf("%s-%d", cpu, i)}}
		p.Spec.NodeSelector = selector
		p.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}}}
		out = append(out, p)
	}
	return out
}

func daemonSet(cpu string) appsv1.DaemonSet {
	set := appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "daemon"}}
	set.Spec.Template.Spec.Containers = pods(1, cpu, nil)[0].Spec.Containers
	return set
}

func TestDecide(t *testing.T) {
	for name, tc := range map[string]struct {
		groups   []*group.Group
		nodes    []*simulate.Node
		pods     []*corev1.Pod
		daemons  []appsv1.DaemonSet
		rests    string
		expander string
		want     map[string]int
		helpless int
	}{
		"API-22 as many machines as it takes for all pods":       {groups: []*group.Group{machines("a", 1, 5, "2")}, pods: pods(4, "900m", nil), want: map[string]int{"a": 2}},
		"API-22 no more than the maximum":                        {groups: []*group.Group{machines("a", 1, 3, "2")}, pods: pods(9, "1500m", nil), want: map[string]int{"a": 2}, helpless: 7},
		"none for pods that fit on nodes there are":              {groups: []*group.Group{machines("a", 1, 3, "2")}, nodes: []*simulate.Node{simulate.NewNode(template("2", nil))}, pods: pods(2, "1", nil)},
		"none for pods that fit on nodes that are coming":        {groups: []*group.Group{machines("a", 3, 5, "2", func(g *group.Group) { g.Coming = 2 })}, pods: pods(2, "1500m", nil)},
		"only for those that do not":                             {groups: []*group.Group{machines("a", 3, 5, "2", func(g *group.Group) { g.Coming = 2 })}, pods: pods(3, "1500m", nil), want: map[string]int{"a": 1}},
		"none for a pod that is larger than machines":            {groups: []*group.Group{machines("a", 0, 5, "2")}, pods: pods(1, "3", nil), helpless: 1},
		"none for a pod that would have room but for DaemonSets": {groups: []*group.Group{machines("a", 0, 5, "2")}, daemons: []appsv1.DaemonSet{daemonSet("200m")}, pods: pods(1, "1900m", nil), helpless: 1},
		"the group that is selected":                             {groups: []*group.Group{machines("a", 0, 5, "2"), machines("b", 0, 5, "2")}, pods: pods(1, "1", map[string]string{"pool": "b"}), want: map[string]int{"b": 1}},
		"not a group that repels the pods": {groups: []*group.Group{machines("a", 0, 5, "2", func(g *group.Group) {
			g.Template.Spec.Taints = []corev1.Taint{{Key: "own", Effect: corev1.TaintEffectNoExecute}}
		})}, pods: pods(1, "1", nil), helpless: 1},
		"not a group that rests":                                       {groups: []*group.Group{machines("a", 0, 5, "2"), machines("b", 0, 5, "4")}, rests: "a", pods: pods(1, "1", nil), want: map[string]int{"b": 1}},
		"not a group of which nobody knows the size":                   {groups: []*group.Group{machines("a", 0, 5, "2", func(g *group.Group) { g.Template = nil })}, pods: pods(1, "1", nil), helpless: 1},
		"least-waste: the machine that is filled best":                 {groups: []*group.Group{machines("a", 0, 5, "8"), machines("b", 0, 5, "2")}, pods: pods(1, "1500m", nil), want: map[string]int{"b": 1}},
		"least-nodes: the fewest machines":                             {groups: []*group.Group{machines("a", 0, 5, "2"), machines("b", 0, 5, "8")}, expander: "least-nodes", pods: pods(4, "1500m", nil), want: map[string]int{"b": 1}},
		"most-pods: the most pods":                                     {groups: []*group.Group{machines("a", 0, 1, "2"), machines("b", 0, 2, "2")}, expander: "most-pods", pods: pods(3, "1500m", nil), want: map[string]int{"b": 2}, helpless: 1},
		"priority: the highest rank, whatever it costs":                {groups: []*group.Group{machines("cheap", 0, 5, "2"), machines("best", 0, 5, "8")}, expander: "priority", pods: pods(1, "1500m", nil), want: map[string]int{"best": 1}},
		"several: the second decides among what the first left":        {groups: []*group.Group{machines("a", 0, 5, "8"), machines("b", 0, 5, "4")}, expander: "least-nodes,least-waste", pods: pods(1, "1500m", nil), want: map[string]int{"b": 1}},
		"zones of a pool grow evenly, the smallest first":              {groups: []*group.Group{machines("z1", 2, 5, "2", ofPool("p")), machines("z2", 1, 5, "2", ofPool("p")), machines("other", 0, 5, "8")}, pods: pods(3, "1500m", nil), want: map[string]int{"z1": 1, "z2": 2}},
		"a zone that is full leaves the others what it would have got": {groups: []*group.Group{machines("z1", 1, 4, "2", ofPool("p")), machines("z2", 1, 4, "2", ofPool("p")), machines("z3", 0, 0, "2", ofPool("p"))}, pods: pods(2, "1500m", nil), want: map[string]int{"z1": 1, "z2": 1}},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.expander == "" {
				tc.expander = LeastWaste
			}
			expanders, err := ParseExpanders(tc.expander, func() Priorities {
				p, err := ParsePriorities("10:\n- cheap\n50:\n- be.*\n")
				if err != nil {
					t.Fatal(err)
				}
				return p
			})
			if err != nil {
				t.Fatal(err)
			}
			got := Decide(Input{
				Cluster: &simulate.Cluster{Nodes: tc.nodes}, Groups: tc.groups, Pods: tc.pods, DaemonSets: tc.daemons,
				Rests: func(name string) bool { return name == tc.rests }, Expanders: expanders,
			})
			if diff := cmp.Diff(tc.want, got.Grow); diff != "" {
				t.Errorf("growth (-want +got):\n%s", diff)
			}
			if len(got.Helpless) != tc.helpless {
				t.Errorf("%d pods are helpless, want %d", len(got.Helpless), tc.helpless)
			}
		})
	}
}

func TestParseExpanders(t *testing.T) {
	if _, err := ParseExpanders("least-waste,cheapest", nil); err == nil {
		t.Error("an expander that does not exist is no error")
	}
}
