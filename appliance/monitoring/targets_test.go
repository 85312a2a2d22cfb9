package monitoring

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/appliance/managers"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/federation"
)

func running(name, ip string, labels ...string) corev1.Pod {
	out := corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: technical, Name: name, Labels: map[string]string{}}, Status: corev1.PodStatus{Phase: corev1.PodRunning, PodIP: ip},
	}
	for i := 0; i < len(labels); i += 2 {
		out.Labels[labels[i]] = labels[i+1]
	}
	return out
}

func finderOn(t *testing.T, c *cluster) finder {
	t.Helper()
	reviews, config := 0, c.serve(t)
	seed := &gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: "one"}}
	return finder{
		garden: gardenWith(t, &reviews, shootOn("one"), seed),
		Inputs: Inputs{Seeds: func() []managers.Seed { return []managers.Seed{fakeSeed{name: "one", config: config}} }},
	}
}

func described(targets []federation.Target) []string {
	var out []string
	for _, target := range targets {
		out = append(out, strings.Join([]string{target.Cluster, target.Job, target.Instance}, " "))
	}
	slices.Sort(out)
	return out
}

func TestTargets(t *testing.T) {
	controlPlane := []corev1.Pod{
		running("kube-apiserver-1", "127.64.0.2", "app", "kubernetes", "role", "apiserver"), running("kube-scheduler-1", "127.64.0.3", "app", "kubernetes", "role", "scheduler"),
		running("etcd-main-0", "127.64.0.4", "app", "etcd-statefulset", "role", "main"), running("other", "127.64.0.5", "app", "other", "role", "main"),
		running("starting", "", "app", "kubernetes", "role", "apiserver"),
	}
	nodes := []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}}
	for name, tc := range map[string]struct {
		pods  []corev1.Pod
		scope federation.Scope
		want  []string
		err   error
	}{
		"GLT-33 a shoot has the servers of its control plane and its nodes": {
			pods: controlPlane, scope: federation.Scope{Kind: federation.Shoot, Namespace: "garden-dev", Name: "sun"},
			want: []string{
				"shoot/garden-dev/sun coredns coredns-1", "shoot/garden-dev/sun etcd etcd-main-0", "shoot/garden-dev/sun gardener-conditions sun",
				"shoot/garden-dev/sun kube-apiserver kube-apiserver-1", "shoot/garden-dev/sun kube-scheduler kube-scheduler-1",
				"shoot/garden-dev/sun kubelet node-1", "shoot/garden-dev/sun kubelet-resources node-1",
			},
		},
		"a shoot that sleeps has its conditions": {
			scope: federation.Scope{Kind: federation.Shoot, Namespace: "garden-dev", Name: "sun"}, want: []string{"shoot/garden-dev/sun gardener-conditions sun"},
		},
		"a seed has its API server and nodes": {
			pods: controlPlane, scope: federation.Scope{Kind: federation.Seed, Name: "one"},
			want: []string{"seed/one gardener-conditions one", "seed/one kube-apiserver one", "seed/one kubelet-resources node-1"},
		},
		"a seed that is none is told":  {scope: federation.Scope{Kind: federation.Seed, Name: "two"}, err: federation.ErrUnknownScope},
		"a shoot that is none is told": {scope: federation.Scope{Kind: federation.Shoot, Namespace: "garden-dev", Name: "moon"}, err: federation.ErrUnknownScope},
	} {
		t.Run(name, func(t *testing.T) {
			targets, err := finderOn(t, &cluster{pods: tc.pods, nodes: nodes}).targets(t.Context(), tc.scope)
			if !errors.Is(err, tc.err) {
				t.Fatalf("error is %v, want %v", err, tc.err)
			}
			if diff := cmp.Diff(tc.want, described(targets)); diff != "" {
				t.Errorf("targets (-want +got):\n%s", diff)
			}
		})
	}
}

func TestProxied(t *testing.T) {
	c := &cluster{
		pods:  []corev1.Pod{running("kube-apiserver-1", "127.64.0.2", "app", "kubernetes", "role", "apiserver")},
		nodes: []corev1.Node{{ObjectMeta: metav1.ObjectMeta{Name: "node-1"}}},
	}
	sun := federation.Scope{Kind: federation.Shoot, Namespace: "garden-dev", Name: "sun"}
	targets, err := finderOn(t, c).targets(t.Context(), sun)
	if err != nil {
		t.Fatal(err)
	}
	limits := federation.DefaultLimits()
	var text bytes.Buffer
	if err := federation.New(limits).Ask(t.Context(), targets).Write(&text, nil); err != nil {
		t.Fatal(err)
	}
	t.Run("KON-4 kubelets and DNS are up by the proxy subresources of the shoot's API server", func(t *testing.T) {
		for _, path := range []string{"/api/v1/nodes/node-1/proxy/metrics", "/api/v1/namespaces/kube-system/pods/coredns-1:9153/proxy/metrics"} {
			if !c.asked[path] {
				t.Errorf("%s is not asked; asked are %v", path, c.asked)
			}
		}
		for _, want := range []string{
			`up{cluster="shoot/garden-dev/sun",instance="node-1",job="kubelet"} 1`, `up{cluster="shoot/garden-dev/sun",instance="coredns-1",job="coredns"} 1`,
			`x{cluster="shoot/garden-dev/sun",instance="node-1",job="kubelet",exported_cluster="garden"} 1`,
			`garden_shoot_condition{cluster="shoot/garden-dev/sun",instance="sun",job="gardener-conditions",namespace="garden-dev",name="sun",condition="APIServerAvailable"} 0`,
		} {
			if !strings.Contains(text.String(), want+"\n") {
				t.Errorf("the answer lacks %s:\n%s", want, text.String())
			}
		}
	})
}
