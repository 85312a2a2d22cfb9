package network

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/network/connectivity"
)

func daemon(name string, change ...func(*appsv1.DaemonSet)) *appsv1.DaemonSet {
	d := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: name, Generation: 2}}
	d.Status = appsv1.DaemonSetStatus{ObservedGeneration: 2, DesiredNumberScheduled: 2, CurrentNumberScheduled: 2, UpdatedNumberScheduled: 2, NumberReady: 2}
	for _, f := range change {
		f(d)
	}
	return d
}

func broken(d *appsv1.DaemonSet) { d.Status.NumberUnavailable = 1 }

func readyNode(name string) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}}}
}

func readyPod(name, node, ip string, labels map[string]string) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: name, Labels: labels},
		Spec:       corev1.PodSpec{NodeName: node, Containers: []corev1.Container{{Name: "c", Ports: []corev1.ContainerPort{{Name: "dns-tcp", ContainerPort: 8053}}}}},
		Status:     corev1.PodStatus{PodIP: ip, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
	}
}

func notReady(pod *corev1.Pod) *corev1.Pod {
	pod.Status.Conditions[0].Status = corev1.ConditionFalse
	return pod
}

func triedService() *corev1.Service {
	return &corev1.Service{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: connectivity.Name}, Spec: corev1.ServiceSpec{ClusterIP: "100.64.0.3"}}
}

// twoNodes is a healthy shoot. On node a is also CoreDNS.
func twoNodes() []client.Object {
	return []client.Object{
		daemon("podnet"), daemon("kube-proxy-pool-v1"), daemon("kube-proxy-other-v1"), daemon("else", broken), readyNode("a"), readyNode("b"), triedService(),
		readyPod("try-a", "a", "10.0.0.1", connectivity.Selector()), readyPod("try-b", "b", "10.0.1.1", connectivity.Selector()),
		readyPod("coredns", "a", "10.0.0.2", connectivity.NameServers()),
	}
}

// without returns the objects but those with the names.
func without(all []client.Object, names ...string) (out []client.Object) {
	for _, object := range all {
		if !strings.Contains(" "+strings.Join(names, " ")+" ", " "+object.GetName()+" ") {
			out = append(out, object)
		}
	}
	return out
}

// answers reaches everything but the addresses that fail. Pods without an answer cannot be asked.
type answers struct {
	failing map[string]string
	silent  string
}

func (a *answers) ask(_ context.Context, pod string, addresses []string) (connectivity.Result, error) {
	if pod == a.silent {
		return nil, errors.New("no route")
	}
	result := connectivity.Result{}
	for _, address := range addresses {
		result[address] = a.failing[address]
	}
	return result, nil
}

func TestExamine(t *testing.T) {
	network := &extensionsv1alpha1.Network{Spec: extensionsv1alpha1.NetworkSpec{PodCIDR: "10.0.0.0/8"}}
	yes, no := ptr.To(true), ptr.To(false)
	good := map[string]bool{"podnet": true}
	proxy := map[string]bool{"kube-proxy": true}
	const pod, service = "10.0.1.1:8080", "100.64.0.3:53"
	for name, tc := range map[string]struct {
		objects []client.Object
		answers answers
		status  string // of the condition
		message []string
		want    api.NetworkStatus
		missing string // part of NotMeasured; empty if nothing is missing
	}{
		"NWX-4 a healthy network": {
			objects: twoNodes(), status: "True", message: []string{"healthy", "Pods reach other pods and Services"},
			want: api.NetworkStatus{Components: good, NetworkModules: proxy, ConnectivityTests: &api.ConnectivityTests{Pods: yes, Services: yes}},
		},
		"NWX-4 a broken pod of the daemon": {
			objects: append(without(twoNodes(), "podnet"), daemon("podnet", broken)), status: "False", message: []string{"podnet", "not available on 1 of 2 nodes"},
			want: api.NetworkStatus{Components: map[string]bool{"podnet": false}, NetworkModules: proxy, ConnectivityTests: &api.ConnectivityTests{Pods: yes, Services: yes}},
		},
		"NWX-4 a daemon that is gone": {
			objects: without(twoNodes(), "podnet"), status: "False", message: []string{"podnet", "missing"},
			want: api.NetworkStatus{Components: map[string]bool{"podnet": false}, NetworkModules: proxy, ConnectivityTests: &api.ConnectivityTests{Pods: yes, Services: yes}},
		},
		"NWX-4 kube-proxy of one pool is told, and has a condition elsewhere": {
			objects: append(without(twoNodes(), "kube-proxy-pool-v1"), daemon("kube-proxy-pool-v1", broken)), status: "True",
			want: api.NetworkStatus{Components: good, NetworkModules: map[string]bool{"kube-proxy": false}, ConnectivityTests: &api.ConnectivityTests{Pods: yes, Services: yes}},
		},
		"NWX-4 a pod that is not reached": {
			objects: twoNodes(), answers: answers{failing: map[string]string{pod: "timed out"}}, status: "False", message: []string{"node a does not reach pod try-b on node b: timed out"},
			want: api.NetworkStatus{Components: good, NetworkModules: proxy, ConnectivityTests: &api.ConnectivityTests{Pods: no, Services: yes}},
		},
		"NWX-4 a Service that is not reached": {
			objects: twoNodes(), answers: answers{failing: map[string]string{service: "timed out"}}, status: "False", message: []string{"does not reach Service connectivity-test: timed out"},
			want: api.NetworkStatus{Components: good, NetworkModules: proxy, ConnectivityTests: &api.ConnectivityTests{Pods: yes, Services: no}},
		},
		"NWX-4 a node that cannot be asked is told": {
			objects: twoNodes(), answers: answers{silent: "try-a"}, status: "True",
			want:    api.NetworkStatus{Components: good, NetworkModules: proxy, ConnectivityTests: &api.ConnectivityTests{Pods: yes, Services: yes}},
			missing: "node a could not be asked: no route",
		},
		"NWX-4 nothing is claimed about connections that nobody tried": {
			objects: without(twoNodes(), "try-a", "try-b"), status: "True", message: []string{"No connection was tried"},
			want: api.NetworkStatus{Components: good, NetworkModules: proxy}, missing: "no pod that tries connections is ready",
		},
		"NWX-4 a single pod has nothing to try": {
			objects: without(twoNodes(), "try-b", "coredns"), status: "True", message: []string{"No connection was tried"},
			want: api.NetworkStatus{Components: good, NetworkModules: proxy}, missing: "no other pod could be tried",
		},
		"NWX-4 pods on one node try the pods beside them": {
			objects: without(twoNodes(), "try-b"), status: "True",
			want: api.NetworkStatus{Components: good, NetworkModules: proxy, ConnectivityTests: &api.ConnectivityTests{Pods: yes, Services: yes}},
		},
		"NWX-4 the Service of no ready pod is not tried": {
			objects: append(without(twoNodes(), "coredns"), notReady(readyPod("coredns", "a", "10.0.0.2", connectivity.NameServers()))), answers: answers{failing: map[string]string{service: "refused"}}, status: "True",
			want: api.NetworkStatus{Components: good, NetworkModules: proxy, ConnectivityTests: &api.ConnectivityTests{Pods: yes}}, missing: "no Service could be tried",
		},
		"NWX-4 a node that is about to go is not tried": {
			objects: append(without(twoNodes(), "b"), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "b"}, Spec: corev1.NodeSpec{Unschedulable: true}, Status: readyNode("b").Status}),
			answers: answers{failing: map[string]string{pod: "timed out"}}, status: "True",
			want: api.NetworkStatus{Components: good, NetworkModules: proxy, ConnectivityTests: &api.ConnectivityTests{Pods: yes, Services: yes}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := fake.NewClientBuilder().WithScheme(shootScheme()).WithObjects(tc.objects...).Build()
			status := api.NetworkStatus{}
			finding, err := examine(t.Context(), daemonOfTest, network, trial{shoot: shoot, ask: tc.answers.ask}, &status)
			if err != nil {
				t.Fatal(err)
			}
			if string(finding.Status) != tc.status {
				t.Errorf("finding is %+v, want %s", finding, tc.status)
			}
			for _, part := range tc.message {
				if !strings.Contains(finding.Message, part) {
					t.Errorf("message %q does not contain %q", finding.Message, part)
				}
			}
			if !strings.Contains(status.NotMeasured, tc.missing) || tc.missing == "" && status.NotMeasured != "" {
				t.Errorf("not measured is %q, want %q", status.NotMeasured, tc.missing)
			}
			status.NotMeasured = ""
			if diff := cmp.Diff(tc.want, status); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
		})
	}
}

func TestExamineTriesFailuresAgain(t *testing.T) {
	shoot := fake.NewClientBuilder().WithScheme(shootScheme()).WithObjects(twoNodes()...).Build()
	failing := &answers{failing: map[string]string{"10.0.1.1:8080": "timed out"}}
	tries := 0
	ask := func(ctx context.Context, pod string, addresses []string) (connectivity.Result, error) {
		if pod == "try-a" {
			if tries++; tries > 1 {
				return (&answers{}).ask(ctx, pod, addresses)
			}
		}
		return failing.ask(ctx, pod, addresses)
	}
	got, err := trial{shoot: shoot, ask: ask}.run(t.Context())
	if err != nil || len(got.failures) > 0 || tries != 2 {
		t.Errorf("NWX-4 a connection that fails once: failures %q after %d tries, error %v", got.failures, tries, err)
	}
}

func TestExamineWithoutAnswer(t *testing.T) {
	shoot := fake.NewClientBuilder().WithScheme(shootScheme()).WithInterceptorFuncs(interceptor.Funcs{
		List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error {
			return errors.New("boom")
		},
	}).Build()
	if finding, err := examine(t.Context(), daemonOfTest, &extensionsv1alpha1.Network{}, trial{shoot: shoot}, &api.NetworkStatus{}); err == nil {
		t.Errorf("NWX-4 finding is %+v although nobody looked", finding)
	}
}

func TestUnhealthyDaemon(t *testing.T) {
	for name, tc := range map[string]struct {
		daemon *appsv1.DaemonSet
		want   string
	}{
		"NWX-4 all pods run":                      {daemon("d"), ""},
		"NWX-4 a pod is broken":                   {daemon("d", broken), "1 of 2"},
		"NWX-4 a roll-out gets stuck":             {daemon("d", broken, func(d *appsv1.DaemonSet) { d.Status.UpdatedNumberScheduled = 1 }), "1 of 2"},
		"NWX-4 a node has no pod":                 {daemon("d", func(d *appsv1.DaemonSet) { d.Status.CurrentNumberScheduled = 1 }), "1 of 2"},
		"NWX-4 a status of the former generation": {daemon("d", func(d *appsv1.DaemonSet) { d.Generation = 3 }), "changed"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := unhealthy(tc.daemon); (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
				t.Errorf("problem is %q, want %q", got, tc.want)
			}
		})
	}
}
