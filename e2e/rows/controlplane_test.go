package rows

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

// stages checks the long stages in their order; short stages are not reported in every run.
func stages(t *testing.T, f *fixture) {
	at := 0
	for _, want := range []string{
		"Create Processing", "Waiting until main and event etcd report readiness", "Waiting until Kubernetes API server rolled out",
		"Waiting until shoot worker nodes have been reconciled", "(100%)",
	} {
		n := strings.Index(f.progress[at:], want)
		if n < 0 {
			t.Fatalf("no %q after the first %d bytes of\n%s", want, at, f.progress)
		}
		at += n
	}
}

// tunnel requests logs, which the API server gets from the kubelets.
func tunnel(t *testing.T, f *fixture) {
	f.Eventually(time.Minute, "the logs of all pods of the system are read", func() (bool, string) {
		pods := strings.Fields(f.get(f.shoot, []string{"-n", "kube-system", "get", "pods"}, "{.items[*].metadata.name}"))
		for _, pod := range pods {
			if r := f.TryKubectl(f.shoot, "-n", "kube-system", "logs", pod, "--all-containers", "--tail=1"); r.Code != 0 {
				return false, r.Stderr
			}
		}
		return len(pods) > 0, "no pods of the system"
	})
}

func etcds(t *testing.T, f *fixture) {
	if sets := strings.Fields(f.seed("statefulsets", "{.items[*].metadata.name}")); strings.Join(sets, " ") != "etcd-events etcd-main" {
		t.Errorf("stateful sets %v", sets)
	}
	args := f.seed("deployment", "{.spec.template.spec.containers[0].args}", "kube-apiserver")
	if !strings.Contains(args, "--etcd-servers=https://etcd-main-client") || !strings.Contains(args, "/events#https://etcd-events-client") {
		t.Errorf("arguments of the API server: %s", args)
	}
	const readySince = `{.status.containerStatuses[0].state.running.startedAt}` // the order of what gets ready is that of stages
	started := parseTime(t, f.seed("pods", "{.items[0].metadata.creationTimestamp}", "-l", "role=apiserver"))
	for _, pod := range []string{"etcd-main-0", "etcd-events-0"} {
		if ready := parseTime(t, f.get(f.Seed(), []string{"-n", technical, "get", "pod", pod}, readySince)); ready.After(started) {
			t.Errorf("%s is ready since %s, the API server was started at %s", pod, ready, started)
		}
	}
}

func parseTime(t *testing.T, text string) time.Time {
	t.Helper()
	parsed, err := time.Parse(time.RFC3339, text)
	if err != nil {
		t.Fatal(err)
	}
	return parsed
}

func credentials(t *testing.T, f *fixture) {
	const path = "{.data.key}"
	copied := []string{"-n", technical, "get", "secret", "cloudprovider"}
	if got := f.get(f.Seed(), copied, path); got != "YmVmb3Jl" { // before
		t.Errorf("the copy has %q", got)
	}
	f.Kubectl(f.Garden(), "-n", project, "patch", "secret", "rows", "-p", `{"stringData":{"key":"after"}}`)
	f.Kubectl(f.Garden(), "-n", project, "annotate", "shoot", "rows", "gardener.cloud/operation=reconcile")
	f.Eventually(30*time.Second, "the copy follows", func() (bool, string) {
		got := f.get(f.Seed(), copied, path)
		return got == "YWZ0ZXI=", got
	})
	f.Gardener("shoot", "wait", "rows", "-n", project, "--timeout=10m")
	if left := f.get(f.Garden(), []string{"-n", project, "get", "shoot", "rows"}, `{.metadata.annotations.gardener\.cloud/operation}`); left != "" {
		t.Errorf("the annotation is still %q", left)
	}
}

// replaced deletes the pods of every control plane component except the etcds, which the others need all the time.
func replaced(t *testing.T, f *fixture) {
	var deployments struct {
		Items []struct {
			Metadata struct{ Name string }
			Spec     struct{ Replicas int }
		}
	}
	if err := json.Unmarshal([]byte(f.Kubectl(f.Seed(), "-n", technical, "get", "deployments", "-o", "json")), &deployments); err != nil {
		t.Fatal(err)
	}
	if len(deployments.Items) < 5 {
		t.Errorf("only %d deployments", len(deployments.Items))
	}
	for _, d := range deployments.Items {
		if d.Spec.Replicas != 1 {
			t.Errorf("%s has %d replicas", d.Metadata.Name, d.Spec.Replicas)
		}
	}
	f.Kubectl(f.Seed(), "-n", technical, "delete", "pods", "-l", "role in (scheduler, controller-manager)", "--wait=false")
	for _, name := range []string{"kube-scheduler", "kube-controller-manager"} {
		f.Kubectl(f.Seed(), "-n", technical, "rollout", "status", "deployment/"+name, "--timeout=10m")
	}
	f.Gardener("shoot", "wait", "rows", "-n", project, "--timeout=10m")
}

// maintained requests maintenance, which finds no newer version, and a restart, which is off by default.
func maintained(t *testing.T, f *fixture) {
	marked := []string{"-n", technical, "get", "pods", "-l", "maintenance.gardener.cloud/restart=true", "-o", "jsonpath={.items[*].metadata.uid}"}
	before := strings.Fields(f.Kubectl(f.Seed(), marked...))
	if len(before) != 3 { // the pools have no room for an autoscaler
		t.Errorf("marked pods %v, want 3", before)
	}
	f.Kubectl(f.Garden(), "-n", project, "annotate", "shoot", "rows", "shoot.gardener.cloud/tasks=restartCoreAddons", "gardener.cloud/operation=maintain")
	f.Eventually(2*time.Minute, "all of them are others", func() (bool, string) {
		now := f.Kubectl(f.Seed(), marked...)
		for _, uid := range before {
			if strings.Contains(now, uid) {
				return false, now
			}
		}
		return len(strings.Fields(now)) == len(before), now
	})
	const stamp = `{.items[*].spec.template.metadata.annotations.gardener\.cloud/restarted-at}`
	for _, addOn := range [][]string{{"deployments", "k8s-app=kube-dns"}, {"daemonsets", "role=proxy"}} {
		f.Eventually(time.Minute, addOn[0]+" are restarted", func() (bool, string) {
			got := f.get(f.shoot, []string{"-n", "kube-system", "get", addOn[0], "-l", addOn[1]}, stamp)
			return got != "", got
		})
	}
	f.Gardener("shoot", "wait", "rows", "-n", project, "--timeout=10m")
	f.Eventually(time.Minute, "the tasks are done", func() (bool, string) {
		got := f.get(f.Garden(), []string{"-n", project, "get", "shoot", "rows"}, "{.metadata.annotations}")
		return !strings.Contains(got, "shoot.gardener.cloud/tasks"), got
	})
	if said := f.get(f.Garden(), []string{"-n", project, "get", "shoot", "rows"}, "{.status.lastMaintenance.description}"); !strings.Contains(said, "restartControlPlanePods") {
		t.Errorf("maintenance says %q", said)
	}
}
