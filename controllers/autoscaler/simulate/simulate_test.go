package simulate

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func node(name string, change ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name, corev1.LabelTopologyZone: "a"}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("2"), corev1.ResourceMemory: resource.MustParse("4Gi"), corev1.ResourcePods: resource.MustParse("3"),
		}},
	}
	for _, f := range change {
		f(n)
	}
	return n
}

func pod(name, cpu string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"app": "web"}}}
	p.Spec.Containers = []corev1.Container{{Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}}}
	for _, f := range change {
		f(p)
	}
	return p
}

func tainted(n *corev1.Node) {
	n.Spec.Taints = []corev1.Taint{{Key: "own", Value: "x", Effect: corev1.TaintEffectNoSchedule}}
}

func avoided(n *corev1.Node) {
	n.Spec.Taints = []corev1.Taint{{Key: "own", Effect: corev1.TaintEffectPreferNoSchedule}}
}

func tolerant(p *corev1.Pod) {
	p.Spec.Tolerations = []corev1.Toleration{{Key: "own", Operator: corev1.TolerationOpExists}}
}

func apart(key string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			TopologyKey: key, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
		}}}}
	}
}

func together(p *corev1.Pod) {
	p.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
		TopologyKey: corev1.LabelHostname, LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
	}}}}
}

func spread(p *corev1.Pod) {
	p.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
		TopologyKey: corev1.LabelHostname, MaxSkew: 1, WhenUnsatisfiable: corev1.DoNotSchedule,
		LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}},
	}}
}

func hostPort(p *corev1.Pod) {
	p.Spec.Containers[0].Ports = []corev1.ContainerPort{{HostPort: 80, Protocol: corev1.ProtocolTCP}}
}

func TestFits(t *testing.T) {
	ended := func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }
	for name, tc := range map[string]struct {
		node   *corev1.Node
		there  []*corev1.Pod
		others []*Node
		pod    *corev1.Pod
		want   bool
	}{
		"into an empty node":                                {node: node("n"), pod: pod("p", "2"), want: true},
		"not into one that is too small":                    {node: node("n"), pod: pod("p", "2100m")},
		"not beside what is requested already":              {node: node("n"), there: []*corev1.Pod{pod("o", "1500m")}, pod: pod("p", "600m")},
		"beside what has ended":                             {node: node("n"), there: []*corev1.Pod{pod("o", "1500m", ended)}, pod: pod("p", "600m"), want: true},
		"not beyond the number of pods":                     {node: node("n"), there: []*corev1.Pod{pod("a", "0"), pod("b", "0"), pod("c", "0")}, pod: pod("p", "0")},
		"not for a resource that the node does not have":    {node: node("n"), pod: pod("p", "0", func(p *corev1.Pod) { p.Spec.Containers[0].Resources.Requests["x/gpu"] = resource.MustParse("1") })},
		"not to a taint":                                    {node: node("n", tainted), pod: pod("p", "1")},
		"to a taint that is tolerated":                      {node: node("n", tainted), pod: pod("p", "1", tolerant), want: true},
		"to a node that is only avoided":                    {node: node("n", avoided), pod: pod("p", "1"), want: true},
		"not to a node that is closed":                      {node: node("n", func(n *corev1.Node) { n.Spec.Unschedulable = true }), pod: pod("p", "1")},
		"not to a node that is not selected":                {node: node("n"), pod: pod("p", "1", func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{"disk": "ssd"} })},
		"not where the port is taken":                       {node: node("n"), there: []*corev1.Pod{pod("o", "0", hostPort)}, pod: pod("p", "0", hostPort)},
		"not beside what it keeps away from":                {node: node("n"), there: []*corev1.Pod{pod("o", "0")}, pod: pod("p", "0", apart(corev1.LabelHostname))},
		"not beside what keeps away from it":                {node: node("n"), there: []*corev1.Pod{pod("o", "0", apart(corev1.LabelHostname))}, pod: pod("p", "0")},
		"not in the zone of what it keeps away from":        {node: node("n"), others: []*Node{NewNode(node("m"), pod("o", "0"))}, pod: pod("p", "0", apart(corev1.LabelTopologyZone))},
		"on another node than what it keeps away from":      {node: node("n"), others: []*Node{NewNode(node("m"), pod("o", "0"))}, pod: pod("p", "0", apart(corev1.LabelHostname)), want: true},
		"not apart from what it wants to be with":           {node: node("n"), others: []*Node{NewNode(node("m"), pod("o", "0"))}, pod: pod("p", "0", together)},
		"as the first of those that want to be together":    {node: node("n"), pod: pod("p", "0", together), want: true},
		"not where there would be two more than elsewhere":  {node: node("n"), there: []*corev1.Pod{pod("o", "0")}, others: []*Node{NewNode(node("m"))}, pod: pod("p", "0", spread)},
		"where there would be one more than elsewhere only": {node: node("n"), others: []*Node{NewNode(node("m"))}, pod: pod("p", "0", spread), want: true},
	} {
		t.Run(name, func(t *testing.T) {
			n := NewNode(tc.node, tc.there...)
			c := &Cluster{Nodes: append([]*Node{n}, tc.others...)}
			if got := c.Fits(tc.pod, n); got != tc.want {
				t.Errorf("fits: %v, want %v", got, tc.want)
			}
		})
	}
}

func TestPlacingIsUndoneByRemove(t *testing.T) {
	c := &Cluster{Nodes: []*Node{NewNode(node("n"))}}
	clone := c.Clone()
	p := pod("p", "2")
	n := clone.Place(p, func(*Node) bool { return true })
	if n == nil || clone.Fits(pod("q", "1"), n) {
		t.Fatal("the pod has not been placed")
	}
	if !c.Fits(pod("q", "1"), c.Nodes[0]) {
		t.Error("the copy is no copy")
	}
	n.Remove(p)
	if !clone.Fits(pod("q", "2"), n) {
		t.Error("the pod is still there")
	}
}
