package scaledown

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/autoscaler/group"
	"github.com/gardener-up/gardener-up/controllers/autoscaler/simulate"
)

func node(name string, pods ...*corev1.Pod) *simulate.Node {
	return simulate.NewNode(&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}, Annotations: map[string]string{}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("4Gi"), corev1.ResourcePods: resource.MustParse("10"),
		}},
	}, pods...)
}

func annotated(n *simulate.Node, key, value string) *simulate.Node {
	n.Annotations[key] = value
	return n
}

// pod belongs to a ReplicaSet unless it is changed.
func pod(name, cpu string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{
		Namespace: "default", Name: name, Labels: map[string]string{"app": "web"}, Annotations: map[string]string{},
		OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: "web", Controller: ptr.To(true)}},
	}}
	p.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}}}
	for _, f := range change {
		f(p)
	}
	return p
}

func ownedBy(kind string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.OwnerReferences = nil
		if kind != "" {
			p.OwnerReferences = []metav1.OwnerReference{{Kind: kind, Name: "x", Controller: ptr.To(true)}}
		}
	}
}

func safe(value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Annotations["cluster-autoscaler.kubernetes.io/safe-to-evict"] = value }
}

func withData(p *corev1.Pod) {
	p.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}}
}

func system(p *corev1.Pod) { p.Namespace = "kube-system" }

func budget(allowed int32) []policyv1.PodDisruptionBudget {
	b := policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "web"}}
	b.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	b.Status.DisruptionsAllowed = allowed
	return []policyv1.PodDisruptionBudget{b}
}

func TestUnneeded(t *testing.T) {
	full := func(name string) *simulate.Node { return node(name, pod("full-"+name, "1800m")) }
	for name, tc := range map[string]struct {
		nodes    []*simulate.Node
		min      int
		budgets  []policyv1.PodDisruptionBudget
		settings Settings
		change   func(*group.Group)
		want     []string
	}{
		"API-22 an empty node goes":                                    {nodes: []*simulate.Node{full("a"), node("b")}, want: []string{"b"}},
		"API-22 but not below the minimum":                             {nodes: []*simulate.Node{full("a"), node("b")}, min: 2},
		"API-22 a node at the threshold stays":                         {nodes: []*simulate.Node{node("a"), node("b", pod("p", "1"))}, want: []string{"a"}},
		"a threshold of the pool counts more":                          {nodes: []*simulate.Node{full("a"), node("b", pod("p", "150m"))}, change: func(g *group.Group) { g.Settings.UtilizationThreshold = ptr.To(0.05) }},
		"a node goes whose pods fit elsewhere":                         {nodes: []*simulate.Node{full("a"), node("b", pod("p", "100m"))}, want: []string{"b"}},
		"a node stays whose pods do not":                               {nodes: []*simulate.Node{full("a"), node("b", pod("p", "300m"))}},
		"two nodes do not both rely on each other":                     {nodes: []*simulate.Node{node("a", pod("p", "500m")), node("b", pod("q", "600m"))}, want: []string{"a"}},
		"nor on the same room elsewhere":                               {nodes: []*simulate.Node{node("a", pod("p", "500m")), node("b", pod("q", "600m")), node("c", pod("r", "1200m"))}, want: []string{"a"}},
		"an annotation keeps a node":                                   {nodes: []*simulate.Node{full("a"), annotated(node("b"), "cluster-autoscaler.kubernetes.io/scale-down-disabled", "true")}},
		"DaemonSets go with their node":                                {nodes: []*simulate.Node{full("a"), node("b", pod("d", "900m", ownedBy("DaemonSet")))}, want: []string{"b"}},
		"but count for the utilization":                                {nodes: []*simulate.Node{full("a"), node("b", pod("d", "1100m", ownedBy("DaemonSet")))}},
		"unless they are left out":                                     {nodes: []*simulate.Node{full("a"), node("b", pod("d", "1100m", ownedBy("DaemonSet")))}, settings: Settings{IgnoreDaemonSets: true}, want: []string{"b"}},
		"a pod that nobody makes again keeps its node":                 {nodes: []*simulate.Node{full("a"), node("b", pod("p", "10m", ownedBy("")))}},
		"unless it says that it may go":                                {nodes: []*simulate.Node{full("a"), node("b", pod("p", "10m", ownedBy(""), safe("true")))}, want: []string{"b"}},
		"a pod that says it must stay keeps its node":                  {nodes: []*simulate.Node{full("a"), node("b", pod("p", "10m", safe("false")))}},
		"a pod with local data keeps its node if that is wanted":       {nodes: []*simulate.Node{full("a"), node("b", pod("p", "10m", withData))}, settings: Settings{KeepLocalStorage: true}},
		"and else does not":                                            {nodes: []*simulate.Node{full("a"), node("b", pod("p", "10m", withData))}, want: []string{"b"}},
		"a pod of the system keeps its node if that is wanted":         {nodes: []*simulate.Node{full("a"), node("b", pod("p", "10m", system))}, settings: Settings{KeepSystemPods: true}},
		"a budget that permits no disruption keeps a node":             {nodes: []*simulate.Node{full("a"), node("b", pod("p", "10m"))}, budgets: budget(0)},
		"a budget that permits one does not keep the first of two":     {nodes: []*simulate.Node{node("a", pod("o", "1100m", func(p *corev1.Pod) { p.Labels = nil })), node("b", pod("p", "10m")), node("c", pod("q", "20m"))}, budgets: budget(1), want: []string{"b"}},
		"pods that are on their way out do not count":                  {nodes: []*simulate.Node{full("a"), node("b", pod("p", "500m", func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)} }))}, want: []string{"b"}},
		"nodes that go leave their room to nobody":                     {nodes: []*simulate.Node{full("a"), node("b"), node("c", pod("p", "300m"))}, want: []string{"b"}},
		"a node that is not ready goes, whatever is requested there":   {nodes: []*simulate.Node{node("a", pod("x", "1100m")), annotated(node("b", pod("p", "800m"), pod("d", "900m", ownedBy("DaemonSet"))), "unready", "yes")}, want: []string{"b"}},
		"a node that is not ready does not take pods of those that go": {nodes: []*simulate.Node{annotated(node("a", pod("x", "10m", safe("false"))), "unready", "yes"), node("b", pod("p", "300m"))}},
	} {
		t.Run(name, func(t *testing.T) {
			g := &group.Group{Bounds: group.Bounds{Name: "g", Min: tc.min}, Size: len(tc.nodes)}
			if tc.min == 0 {
				g.Min = 1
			}
			if tc.change != nil {
				tc.change(g)
			}
			tc.settings.UtilizationThreshold = 0.5
			var got []string
			for _, c := range Unneeded(Input{
				Cluster: &simulate.Cluster{Nodes: tc.nodes}, GroupOf: func(*simulate.Node) *group.Group { return g }, Budgets: tc.budgets,
				Ready: func(n *corev1.Node) bool { return n.Annotations["unready"] == "" }, Settings: tc.settings,
			}) {
				got = append(got, c.Node.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("unneeded nodes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestRipe(t *testing.T) {
	candidate := func(name string, pods ...*corev1.Pod) Candidate {
		return Candidate{Node: node(name), Group: &group.Group{}, Moving: pods}
	}
	patient := candidate("patient")
	patient.Group.Settings.UnneededTime = ptr.To(time.Hour)
	unready := candidate("unready")
	unready.Unready = true
	all := []Candidate{candidate("a"), candidate("b", pod("p", "0")), candidate("young"), candidate("c", pod("q", "0")), patient, unready, candidate("d"), candidate("e")}
	age := func(name string) time.Duration {
		if name == "young" {
			return 5 * time.Second
		}
		return time.Minute
	}
	var got []string
	for _, c := range Ripe(all, Settings{UnneededTime: 30 * time.Second, UnreadyTime: time.Hour, MaxAtOnce: 3, MaxDrained: 1}, age) {
		got = append(got, c.Node.Name)
	}
	if diff := cmp.Diff([]string{"a", "b", "d"}, got); diff != "" {
		t.Errorf("nodes that go (-want +got):\n%s", diff)
	}
}
