package kind

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// calls go from pods and the API server of the seed to the landscape.
var calls = []step{
	{"OPR-12 a pod of the seed uses the generic kubeconfig of the garden", genericKubeconfig, true},
	{"OPR-27 Gardens are validated and filled by webhooks, and a deletion must be confirmed", gardenWebhooks, true},
	{"EXT-17 EXT-10 the provider's webhook adds to control planes and machines, and nothing is written without it", providerWebhook, true},
	{"GLT-22 EXT-17 calls reach the landscape again when the pod between them is another one", otherPod, true},
}

// gardenUser is a pod that asks the garden who it is. The program is that of the node.
const gardenUser = `apiVersion: v1
kind: Secret
metadata:
  name: shoot-access-garden-user
  namespace: garden
  labels: {resources.gardener.cloud/purpose: token-requestor, resources.gardener.cloud/class: shoot}
  annotations:
    serviceaccount.resources.gardener.cloud/name: garden-user
    serviceaccount.resources.gardener.cloud/namespace: kube-system
---
apiVersion: v1
kind: Pod
metadata:
  name: garden-user
  namespace: garden
  labels:
    networking.gardener.cloud/to-dns: allowed
    networking.gardener.cloud/to-public-networks: allowed
spec:
  restartPolicy: OnFailure # until the token is there
  terminationGracePeriodSeconds: 0
  containers:
  - name: user
    image: ` + echo + `
    command: [/kubectl, --kubeconfig=/access/kubeconfig, auth, whoami, -o, "jsonpath={.status.userInfo.username}"]
    volumeMounts:
    - {name: kubectl, mountPath: /kubectl}
    - {name: access, mountPath: /access}
    - {name: access, mountPath: /var/run/secrets/gardener.cloud/shoot/generic-kubeconfig}
  volumes:
  - {name: kubectl, hostPath: {path: /usr/bin/kubectl, type: File}}
  - name: access
    projected:
      sources:
      - secret: {name: %s, items: [{key: kubeconfig, path: kubeconfig}]}
      - secret: {name: shoot-access-garden-user, items: [{key: token, path: token}]}
`

func genericKubeconfig(t *testing.T, f *fixture) {
	generic := f.Kubectl(f.Seed(), "get", "garden", f.name, "-o", `jsonpath={.metadata.annotations.generic-token-kubeconfig\.secret\.gardener\.cloud/name}`)
	f.Kubectl(f.Seed(), "apply", "-f", f.File("garden-user.yaml", fmt.Sprintf(gardenUser, generic)))
	f.await(3*time.Minute, "the pod has ended", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", "garden", "get", "pod", "garden-user", "-o", "jsonpath={.status.phase} {.status.containerStatuses[0].state}")
		return strings.HasPrefix(r.Stdout, "Succeeded "), r.Stdout + f.TryKubectl(f.Seed(), "-n", "garden", "logs", "garden-user").Stdout
	})
	if got := f.Kubectl(f.Seed(), "-n", "garden", "logs", "garden-user"); got != "system:serviceaccount:kube-system:garden-user" {
		t.Errorf("the pod is %q in the garden", got)
	}
	f.Kubectl(f.Seed(), "-n", "garden", "delete", "pod/garden-user", "secret/shoot-access-garden-user")
}

func gardenWebhooks(t *testing.T, f *fixture) {
	if r := f.TryKubectl(f.Seed(), "patch", "garden", f.name, "--type=merge", "-p", `{"spec":{"virtualCluster":{"kubernetes":{"version":"1.30.0"}}}}`); r.Code == 0 ||
		!strings.Contains(r.Stderr, `admission webhook "validation.operator.gardener.cloud" denied the request`) || !strings.Contains(r.Stderr, "spec.virtualCluster.kubernetes.version") {
		t.Errorf("a version that nothing runs: code %d: %s", r.Code, r.Stderr)
	}
	if r := f.TryKubectl(f.Seed(), "delete", "garden", f.name, "--dry-run=server"); r.Code == 0 || !strings.Contains(r.Stderr, "confirmation.gardener.cloud/deletion=true") {
		t.Errorf("a deletion that nobody confirmed: code %d: %s", r.Code, r.Stderr)
	}
	got := f.Kubectl(f.Seed(), "patch", "garden", f.name, "--dry-run=server", "--type=merge", "-p", `{"spec":{"virtualCluster":{"etcd":null}}}`, "-o", "jsonpath={.spec.virtualCluster.etcd.main.storage.capacity}")
	if got != "10Gi" {
		t.Errorf("a field that was left out is %q", got)
	}
}

func providerWebhook(t *testing.T, f *fixture) {
	const label = "provider.extensions.gardener.cloud/mutated-by-controlplane-webhook=true"
	added := f.Kubectl(f.Seed(), "-n", technical, "get", "deployments", "-l", label, "-o",
		`jsonpath={range .items[*]}{.metadata.name} {.metadata.annotations.local\.provider\.extensions\.gardener\.cloud/machines}{"\n"}{end}`)
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler"} {
		if !strings.Contains(added, name+" container\n") {
			t.Errorf("%s does not say what its machines are:\n%s", name, added)
		}
	}
	contents := f.Kubectl(f.Seed(), "-n", technical, "get", "operatingsystemconfigs", "-l", label, "-o",
		`jsonpath={range .items[*]}{.metadata.name} {.spec.files[?(@.path=="/etc/motd")].path} {.status.extensionFiles[?(@.path=="/etc/motd")].path}{"\n"}{end}`)
	for _, line := range strings.Split(strings.TrimSpace(contents), "\n") {
		if fields := strings.Fields(line); len(fields) != 2 { // name and file: the renderer adds nothing of its own
			t.Errorf("EXT-10 the webhook has not added its file, or the renderer has: %q", line)
		}
	}
	for _, machine := range f.machines(t) {
		if got := strings.Join(docker(t, "exec", machine, "cat", "/etc/motd"), "\n"); !strings.Contains(got, "This is a machine of "+technical+",") {
			t.Errorf("EXT-10 the file of the webhook on node %s says %q", machine, got)
		}
	}

	f.Gardener("part", "stop", "seed-operators")
	f.await(time.Minute, "a write is refused while nobody answers, and the error names the webhook", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", technical, "annotate", "deployment", "kube-scheduler", "written=not", "--overwrite")
		return r.Code != 0 && strings.Contains(r.Stderr, `failed calling webhook "controlplane.local.extensions.gardener.cloud"`), r.Stdout + r.Stderr
	})
	f.Gardener("part", "start", "seed-operators")
	f.await(time.Minute, "a write passes again", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", technical, "annotate", "deployment", "kube-scheduler", "written=again", "--overwrite")
		return r.Code == 0, r.Stdout + r.Stderr
	})
	f.Kubectl(f.Seed(), "-n", technical, "annotate", "deployment", "kube-scheduler", "written-")
}

// otherPod removes the pod through which the calls come.
func otherPod(_ *testing.T, f *fixture) {
	f.Kubectl(f.Seed(), "-n", "garden", "delete", "pods", "-l", "app=landscape-callback")
	f.await(3*time.Minute, "the next pod is connected", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", "garden", "get", "deployment", "landscape-callback", "-o", "jsonpath={.status.readyReplicas}/{.status.unavailableReplicas}")
		return r.Stdout == "1/", r.Stdout + r.Stderr
	})
	f.await(time.Minute, "the API server calls the webhooks", func() (bool, string) {
		r := f.TryKubectl(f.Seed(), "-n", technical, "annotate", "deployment", "kube-scheduler", "written-")
		return r.Code == 0, r.Stdout + r.Stderr
	})
}
