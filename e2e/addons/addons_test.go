// Package addons creates a cluster with the add-ons for evaluation clusters and with autoscalers of pods and nodes, and
// turns them off again.
package addons

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

const (
	project   = "garden-local"
	shoot     = "addons"
	technical = "shoot--local--addons"
)

func TestAddons(t *testing.T) {
	l := framework.New(t)
	monitor(t, l)
	l.Gardener("up")
	file, err := filepath.Abs(filepath.Join("testdata", "shoot.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l.Kubectl(l.Garden(), "create", "-f", file)
	l.Gardener("shoot", "wait", shoot, "-n", project, "--timeout=10m")
	kubeconfig := l.Shoot(project, shoot)
	get := func(l *framework.Landscape, path string, args ...string) string {
		return strings.TrimSpace(l.Kubectl(kubeconfig, append(append([]string{"get"}, args...), "-o", "jsonpath="+path)...))
	}

	t.Run("API-27 the pods of both add-ons run", func(t *testing.T) {
		l := l.For(t)
		for name, namespace := range map[string]string{
			"addons-nginx-ingress-controller": "kube-system", "addons-nginx-ingress-nginx-ingress-k8s-backend": "kube-system",
			"kubernetes-dashboard": "kubernetes-dashboard", "dashboard-metrics-scraper": "kubernetes-dashboard",
		} {
			l.Kubectl(kubeconfig, "-n", namespace, "wait", "deployment", name, "--for=condition=Available", "--timeout=10m")
		}
	})
	t.Run("API-27 the settings are those of the shoot", func(t *testing.T) {
		l := l.For(t)
		if got := get(l, "{.spec.type} {.spec.loadBalancerSourceRanges} {.spec.externalTrafficPolicy}", "-n", "kube-system", "service", "addons-nginx-ingress-controller"); got != `LoadBalancer ["10.0.0.0/8"] Cluster` {
			t.Errorf("service: %s", got)
		}
		if got := get(l, "{.data.worker-processes}", "-n", "kube-system", "configmap", "addons-nginx-ingress-controller"); got != "3" {
			t.Errorf("worker-processes: %s", got)
		}
		if got := get(l, "{.spec.template.spec.containers[0].args}", "-n", "kubernetes-dashboard", "deployment", "kubernetes-dashboard"); !strings.Contains(got, "--authentication-mode=token") {
			t.Errorf("args of the dashboard: %s", got)
		}
	})
	t.Run("API-21 the vertical autoscaler recommends what pods use, and new pods get it", func(t *testing.T) {
		vertical(t, l.For(t), kubeconfig)
	})
	record := []string{"-n", technical, "get", "dnsrecord", shoot + "-ingress", "-o", "jsonpath={.spec.name} {.spec.values[0]} {.status.lastOperation.state}"}
	t.Run("GLT-26 names below the ingress domain lead to the load balancer", func(t *testing.T) {
		l := l.For(t)
		address := get(l, "{.status.loadBalancer.ingress[0].ip}", "-n", "kube-system", "service", "addons-nginx-ingress-controller")
		domain := strings.TrimSpace(l.Kubectl(l.Garden(), "-n", project, "get", "shoot", shoot, "-o", "jsonpath={.spec.dns.domain}"))
		if got, want := strings.TrimSpace(l.Kubectl(l.Seed(), record...)), "*.ingress."+domain+" "+address+" Succeeded"; got != want || address == "" {
			t.Errorf("record: %q, want %q", got, want)
		}
	})
	t.Run("API-27 GLT-26 all of it goes when it is switched off", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(l.Garden(), "-n", project, "patch", "shoot", shoot, "--type=merge", "-p", `{"spec":{"addons":{"nginxIngress":{"enabled":false},"kubernetesDashboard":{"enabled":false}}}}`)
		l.Eventually(3*time.Minute, "objects of the add-ons go", func() (bool, string) {
			inside := l.Kubectl(kubeconfig, "get", "deployments,services,ingressclasses", "-A", "-o", "name")
			outside := l.Kubectl(l.Seed(), "-n", technical, "get", "dnsrecords", "-o", "name")
			return !strings.Contains(inside, "nginx") && !strings.Contains(inside, "dashboard") && !strings.Contains(outside, "ingress"), inside + outside
		})
	})
	t.Run("API-21 nothing is left of the vertical autoscaler when it is switched off", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(l.Garden(), "-n", project, "patch", "shoot", shoot, "--type=merge", "-p", `{"spec":{"kubernetes":{"verticalPodAutoscaler":{"enabled":false}}}}`)
		l.Eventually(3*time.Minute, "the autoscaler goes", func() (bool, string) {
			inside := l.Kubectl(kubeconfig, "get", "crds,apiservices,clusterroles,mutatingwebhookconfigurations", "-o", "name")
			outside := l.Kubectl(l.Seed(), "-n", technical, "get", "deployments,services,managedresources", "-o", "name")
			left := slices.DeleteFunc(strings.Fields(inside+outside), func(name string) bool {
				return !strings.Contains(name, "vpa") && !strings.Contains(name, "verticalpodautoscaler") && !strings.Contains(name, "metrics")
			})
			left = slices.DeleteFunc(left, func(name string) bool { return strings.Contains(name, "system:controller") })
			return len(left) == 0, strings.Join(left, " ")
		})
	})
	monitored(t, l, kubeconfig)
	scales(t, l, kubeconfig)
	t.Run("API-27 a cluster for production has none", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(l.Garden(), "-n", project, "patch", "shoot", shoot, "--type=merge", "-p", `{"spec":{"purpose":"production"}}`)
		r := l.TryKubectl(l.Garden(), "-n", project, "patch", "shoot", shoot, "--type=merge", "-p", `{"spec":{"addons":{"nginxIngress":{"enabled":true}}}}`)
		if r.Code == 0 || !strings.Contains(r.Stderr, "purpose evaluation") {
			t.Errorf("exit code %d: %s", r.Code, r.Stderr)
		}
	})
}

// vertical runs a workload that requests far more than it needs, and checks that the recommendation is applied.
func vertical(t *testing.T, l *framework.Landscape, kubeconfig string) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join("testdata", "store.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	l.Kubectl(kubeconfig, "apply", "-f", file)
	l.Kubectl(kubeconfig, "wait", "deployment", "store", "--for=condition=Available", "--timeout=10m")
	l.Eventually(3*time.Minute, "the metrics of the node and the pod", func() (bool, string) {
		nodes, pods := l.TryKubectl(kubeconfig, "top", "nodes", "--no-headers"), l.TryKubectl(kubeconfig, "top", "pods", "--no-headers")
		return nodes.Code == 0 && pods.Code == 0 && strings.Contains(pods.Stdout, "store"), nodes.Stdout + nodes.Stderr + pods.Stdout + pods.Stderr
	})
	const target = "jsonpath={.status.recommendation.containerRecommendations[0].target.memory}"
	l.Eventually(3*time.Minute, "a recommendation", func() (bool, string) {
		got := l.Kubectl(kubeconfig, "get", "vpa", "store", "-o", target)
		return got != "", l.Kubectl(kubeconfig, "get", "vpa", "store", "-o", "yaml")
	})
	l.Kubectl(kubeconfig, "delete", "pods", "-l", "app=store", "--now")
	l.Eventually(2*time.Minute, "a pod with what is recommended", func() (bool, string) {
		pod := l.TryKubectl(kubeconfig, "get", "pods", "-l", "app=store", "-o", "jsonpath={.items[0].metadata.annotations.vpaUpdates} {.items[0].spec.containers[0].resources.requests.memory}").Stdout // there may be none
		return strings.Contains(pod, "Pod resources updated by store") && !strings.Contains(pod, "700Mi"), pod
	})
}
