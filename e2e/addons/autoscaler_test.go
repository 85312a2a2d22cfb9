package addons

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/gardener-up/gardener-up/e2e/framework"
)

// scales tests scaling of the cluster in both directions: unschedulable pods add nodes, and unneeded nodes are removed when the pods are
// gone.
func scales(t *testing.T, l *framework.Landscape, kubeconfig string) {
	t.Run("API-22 GLT-33 the autoscaler has the settings of the shoot", func(t *testing.T) {
		l := l.For(t)
		args := l.Kubectl(l.Seed(), "-n", technical, "get", "deployment", "cluster-autoscaler", "-o", `jsonpath={range .spec.template.spec.containers[0].args[*]}{@}{"\n"}{end}`)
		got := strings.Fields(args)
		for _, want := range []string{
			"--scale-down-utilization-threshold=0.4", "--scale-down-unneeded-time=10s", "--scale-down-delay-after-add=5s", "--scale-down-delay-after-failure=5s",
			"--scale-down-delay-after-delete=1s", "--scan-interval=2s", "--nodes=1:3:" + technical + "." + technical + "-pool-z1",
		} {
			if !slices.Contains(got, want) {
				t.Errorf("%s is missing in %v", want, got)
			}
		}
		l.Kubectl(l.Seed(), "-n", technical, "wait", "deployment", "cluster-autoscaler", "--for=condition=Available", "--timeout=10m")
	})
	nodes := func(l *framework.Landscape) []string {
		return strings.Fields(l.Kubectl(kubeconfig, "get", "nodes", "-o", "jsonpath={.items[*].metadata.name}"))
	}
	first := nodes(l)
	if len(first) != 1 {
		t.Fatalf("nodes are %v", first)
	}
	t.Run("API-22 the pool grows to its maximum for pods that fit nowhere", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(kubeconfig, "apply", "-f", l.File("large.yaml", large(t, l.Kubectl(kubeconfig, "get", "nodes", "-o", "jsonpath={.items[0].status.allocatable.cpu}"))))
		l.Eventually(5*time.Minute, "all pods run", func() (bool, string) {
			got := l.Kubectl(kubeconfig, "get", "pods", "-l", "app=large", "-o", `jsonpath={range .items[*]}{.status.phase} {end}`)
			return strings.TrimSpace(got) == "Running Running Running", got
		})
		if got := nodes(l); len(got) != 3 {
			t.Errorf("nodes are %v", got)
		}
	})
	t.Run("API-22 a reconciliation leaves the size alone", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(l.Garden(), "-n", project, "annotate", "shoot", shoot, "gardener.cloud/operation=reconcile")
		l.Eventually(time.Minute, "the reconciliation begins", func() (bool, string) {
			got := l.Kubectl(l.Garden(), "-n", project, "get", "shoot", shoot, "-o", `jsonpath={.metadata.annotations.gardener\.cloud/operation}`)
			return got == "", got
		})
		l.Gardener("shoot", "wait", shoot, "-n", project, "--timeout=10m")
		if got := replicas(l); got != "3" {
			t.Errorf("the pool has size %s", got)
		}
	})
	t.Run("API-22 unneeded nodes are removed after their pods are gone", func(t *testing.T) {
		l := l.For(t)
		stays := l.Kubectl(kubeconfig, "get", "pods", "-l", "app=large", "-o", "jsonpath={.items[2].spec.nodeName}")
		l.Kubectl(kubeconfig, "annotate", "node", stays, "cluster-autoscaler.kubernetes.io/scale-down-disabled=true")
		l.Kubectl(kubeconfig, "delete", "deployment", "large", "--timeout=10m")
		l.Eventually(5*time.Minute, "one node is left", func() (bool, string) {
			got := nodes(l)
			return len(got) == 1, fmt.Sprint(got)
		})
		if got := nodes(l); got[0] != stays {
			t.Errorf("node %s is left, not %s", got[0], stays)
		}
		if got := replicas(l); got != "1" {
			t.Errorf("the pool has size %s", got)
		}
	})
	t.Run("the autoscaler goes when no pool may change its size", func(t *testing.T) {
		l := l.For(t)
		l.Kubectl(l.Garden(), "-n", project, "patch", "shoot", shoot, "--type=json", "-p", `[{"op":"replace","path":"/spec/provider/workers/0/maximum","value":1}]`)
		l.Eventually(3*time.Minute, "the deployment goes", func() (bool, string) {
			got := l.Kubectl(l.Seed(), "-n", technical, "get", "deployments", "-o", "name")
			return !strings.Contains(got, "cluster-autoscaler"), got
		})
	})
}

func replicas(l *framework.Landscape) string {
	return l.Kubectl(l.Seed(), "-n", technical, "get", "machinedeployment", technical+"-pool-z1", "-o", "jsonpath={.spec.replicas}")
}

// large makes three pods of which only one fits on a node of any machine that runs the test.
func large(t *testing.T, allocatable string) string {
	t.Helper()
	cpu, err := resource.ParseQuantity(allocatable)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf(`apiVersion: apps/v1
kind: Deployment
metadata:
  name: large
spec:
  replicas: 3
  selector: {matchLabels: {app: large}}
  template:
    metadata: {labels: {app: large}}
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: large
        image: registry.example.org/large
        resources: {requests: {cpu: %dm}}
`, cpu.MilliValue()*55/100)
}
