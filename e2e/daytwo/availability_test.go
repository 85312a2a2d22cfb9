package daytwo

import (
	"strings"
	"time"

	"github.com/gardener-up/gardener-up/e2e/framework/poller"
)

// tolerate gives the shoot a failure tolerance. A client polls meanwhile, and while a member of etcd and an API server are killed.
func tolerate(f *fixture) {
	f.t.Helper()
	client := poller.Start(f.t, "a client while the control plane becomes highly available", f.shoot)
	f.Kubectl(f.Garden(), "-n", project, "patch", "shoot", "daytwo", "--type=merge", "-p", `{"spec":{"controlPlane":{"highAvailability":{"failureTolerance":{"type":"node"}}}}}`)
	f.Eventually(4*time.Minute, "the shoot has been reconciled", func() (bool, string) {
		got := f.ofShoot("{.status.lastOperation.state} {.status.observedGeneration}")
		return got == "Succeeded "+f.ofShoot("{.metadata.generation}"), got + ": " + f.ofShoot("{.status.lastOperation.description} {.status.lastErrors[*].description}")
	})
	for deployment, want := range map[string]string{"kube-apiserver": "3", "kube-controller-manager": "2", "kube-scheduler": "2", "machine-controller-manager": "2", "gardener-resource-manager": "2"} {
		// The last pod of the former configuration may still be counted.
		f.Eventually(time.Minute, deployment+" is spread", func() (bool, string) {
			got := f.get(f.Seed(), []string{"-n", technical, "deployment", deployment}, "{.status.readyReplicas} {.spec.template.spec.topologySpreadConstraints[0].whenUnsatisfiable}")
			return got == want+" ScheduleAnyway", got
		})
		if got := f.get(f.Seed(), []string{"-n", technical, "poddisruptionbudget", deployment}, "{.spec.maxUnavailable} {.status.expectedPods}"); got != "1 "+want {
			f.t.Errorf("budget of %s has %q", deployment, got)
		}
	}
	if got := f.get(f.Seed(), []string{"-n", technical, "statefulsets"}, "{.items[*].status.readyReplicas}"); got != "3 3" {
		f.t.Errorf("members of the etcds: %q", got)
	}
	f.Eventually(time.Minute, "the condition tells what the seed lacks", func() (bool, string) {
		got := f.ofShoot(`{.status.conditions[?(@.type=="ControlPlaneHealthy")].status} {.status.conditions[?(@.type=="ControlPlaneHealthy")].message}`)
		return strings.HasPrefix(got, "True ") && strings.Contains(got, "1 of the 3 nodes"), got
	})
	for _, selector := range []string{"instance=etcd-main", "role=apiserver"} {
		pod, _, _ := strings.Cut(f.get(f.Seed(), []string{"-n", technical, "pods", "-l", selector}, "{.items[*].metadata.name}"), " ")
		f.Kubectl(f.Seed(), "-n", technical, "delete", "pod", pod, "--grace-period=0", "--force")
		f.Eventually(2*time.Minute, "a pod replaces "+pod, func() (bool, string) {
			got := f.get(f.Seed(), []string{"-n", technical, "pods", "-l", selector}, `{.items[*].status.conditions[?(@.type=="Ready")].status}`)
			return got == "True True True", got
		})
	}
	client.Stop(f.t, 30*time.Second)
	if r := f.TryKubectl(f.Garden(), "-n", project, "patch", "shoot", "daytwo", "--type=json", "-p", `[{"op":"remove","path":"/spec/controlPlane"}]`); r.Code == 0 || !strings.Contains(r.Stderr, "immutable") {
		f.t.Errorf("the failure tolerance is taken back: code %d, %s", r.Code, r.Stderr)
	}
}
