package watchdog

import (
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

var start = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)

// renewed makes leases that were renewed so long ago, of the nodes node-0, node-1 and so on.
func renewed(ago ...time.Duration) (out []coordinationv1.Lease) {
	for i, d := range ago {
		out = append(out, coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Name: nodeName(i)}, Spec: coordinationv1.LeaseSpec{LeaseDurationSeconds: ptr.To[int32](40), RenewTime: &metav1.MicroTime{Time: start.Add(-d)}}})
	}
	return out
}

func nodeName(i int) string { return "node-" + strconv.Itoa(i) }

func TestCutOff(t *testing.T) {
	const late = time.Minute
	for name, tc := range map[string]struct {
		leases []coordinationv1.Lease
		want   bool
	}{
		"no nodes":                           {nil, false},
		"a single node may fail by itself":   {renewed(late), false},
		"two nodes at once do not":           {renewed(late, late), true},
		"one of two":                         {renewed(late, 0), false},
		"three of five":                      {renewed(late, late, late, 0, 0), true},
		"two of five":                        {renewed(late, late, 0, 0, 0), false},
		"leases that are valid for a moment": {renewed(40*time.Second, 40*time.Second), false},
		"leases that nobody has renewed yet": {make([]coordinationv1.Lease, 2), true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := cutOff(tc.leases, start); got != tc.want {
				t.Errorf("cut off: %t", got)
			}
		})
	}
}

// deployments makes Deployments with replicas and, unless empty, the former number.
func deployments(all map[string][2]string) map[string]*appsv1.Deployment {
	out := map[string]*appsv1.Deployment{}
	for name, numbers := range all {
		replicas, _ := strconv.Atoi(numbers[0])
		out[name] = &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: appsv1.DeploymentSpec{Replicas: ptr.To(int32(replicas))}}
		if numbers[1] != "" {
			out[name].Annotations = map[string]string{Replicas: numbers[1]}
		}
	}
	return out
}

func texts(changes []scaling) (out []string) {
	for _, c := range changes {
		text := c.name
		if c.replicas != nil {
			text += " to " + strconv.Itoa(int(*c.replicas))
		}
		if c.former != nil {
			text += " from " + strconv.Itoa(int(*c.former))
		}
		out = append(out, text)
	}
	return out
}

func TestScaling(t *testing.T) {
	running := map[string][2]string{"kube-controller-manager": {"2", ""}, "machine-controller-manager": {"1", ""}, "cluster-autoscaler": {"1", ""}, "kube-scheduler": {"1", ""}}
	for name, tc := range map[string]struct {
		do   func(map[string]*appsv1.Deployment) []scaling
		have map[string][2]string
		want []string
	}{
		"what acts on nodes is stopped, with the last consumer first": {stops, running, []string{
			"cluster-autoscaler to 0 from 1", "machine-controller-manager to 0 from 1", "kube-controller-manager to 0 from 2",
		}},
		"what is stopped stays so":                       {stops, map[string][2]string{"kube-controller-manager": {"0", "2"}}, nil},
		"what a user has stopped is not started":         {starts, map[string][2]string{"kube-controller-manager": {"0", ""}}, nil},
		"what runs is left alone":                        {starts, running, nil},
		"what something else has started is forgotten":   {starts, map[string][2]string{"kube-controller-manager": {"1", "2"}}, []string{"kube-controller-manager"}},
		"a number that is none means one":                {starts, map[string][2]string{"kube-controller-manager": {"0", "many"}}, []string{"kube-controller-manager to 1"}},
		"a number that is absurd is bounded":             {starts, map[string][2]string{"kube-controller-manager": {"0", "100000"}}, []string{"kube-controller-manager to 10"}},
		"the former numbers come back, in reverse order": {starts, map[string][2]string{"kube-controller-manager": {"0", "2"}, "cluster-autoscaler": {"0", "1"}}, []string{"kube-controller-manager to 2", "cluster-autoscaler to 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, texts(tc.do(deployments(tc.have)))); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("an operator keeps a Deployment from the watchdog", func(t *testing.T) {
		have := deployments(map[string][2]string{"kube-controller-manager": {"1", ""}})
		have["kube-controller-manager"].Annotations = map[string]string{"dependency-watchdog.gardener.cloud/ignore-scaling": "true"}
		if got := texts(stops(have)); got != nil {
			t.Errorf("changes %v", got)
		}
	})
}

// podOf makes a pod that is ready, or waits after a crash.
func podOf(name string, labels map[string]string, ready, crashed time.Time) corev1.Pod {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
	if !ready.IsZero() {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(ready)}}
	}
	if !crashed.IsZero() {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
			State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{FinishedAt: metav1.NewTime(crashed)}},
		}}
	}
	return pod
}

func TestWeeds(t *testing.T) {
	var (
		never  time.Time
		before = start.Add(-time.Minute)
		after  = start.Add(time.Minute)
		main   = map[string]string{"instance": "etcd-main"}
		events = map[string]string{"instance": "etcd-events"}
		server = map[string]string{"app": "kubernetes", "role": "apiserver"}
		other  = map[string]string{"app": "kubernetes", "role": "scheduler"}
	)
	for name, tc := range map[string]struct {
		pods []corev1.Pod
		want []string
	}{
		"an API server that crashed without its etcd": {[]corev1.Pod{
			podOf("main", main, before, never), podOf("events", events, start, never), podOf("server", server, never, before),
		}, []string{"server"}},
		"an API server that crashes with its etcd waits": {[]corev1.Pod{
			podOf("main", main, before, never), podOf("events", events, before, never), podOf("server", server, never, start),
		}, nil},
		"an API server with one of its etcds waits": {[]corev1.Pod{
			podOf("main", main, start, never), podOf("events", events, never, never), podOf("server", server, never, before),
		}, nil},
		"a scheduler that crashed without its API server": {[]corev1.Pod{podOf("server", server, start, never), podOf("scheduler", other, never, before)}, []string{"scheduler"}},
		"a scheduler that crashes by itself waits":        {[]corev1.Pod{podOf("server", server, start, never), podOf("scheduler", other, never, after)}, nil},
		"a scheduler without an API server waits":         {[]corev1.Pod{podOf("server", server, never, never), podOf("scheduler", other, never, before)}, nil},
		"a second API server does not count":              {[]corev1.Pod{podOf("one", server, before.Add(-time.Hour), never), podOf("two", server, start, never), podOf("scheduler", other, never, before)}, nil},
		"an etcd is nobody's dependant":                   {[]corev1.Pod{podOf("server", server, start, never), podOf("main", main, never, before)}, nil},
		"a pod that is well stays":                        {[]corev1.Pod{podOf("server", server, start, never), podOf("scheduler", other, start, never)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, pod := range weeds(tc.pods) {
				got = append(got, pod.Name)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("deleted pods (-want +got):\n%s", diff)
			}
		})
	}
}
