package rows

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/gardener-up/gardener-up/embedded/kubeversion"
)

// ownProfile creates a NamespacedCloudProfile, and checks whether shoots with it would be accepted.
func ownProfile(t *testing.T, f *fixture) {
	const manifest = `apiVersion: core.gardener.cloud/v1beta1
kind: NamespacedCloudProfile
metadata: {name: own, namespace: garden-local}
spec:
  parent: {kind: CloudProfile, name: rows}
  machineTypes: [{name: %s, cpu: "1", gpu: "0", memory: 1Gi, architecture: amd64, usable: true}]
`
	const shoot = `apiVersion: core.gardener.cloud/v1beta1
kind: Shoot
metadata: {name: owner, namespace: garden-local}
spec:
  cloudProfile: {kind: NamespacedCloudProfile, name: own}
  secretBindingName: rows
  region: local
  kubernetes: {version: %s}
  networking: {type: calico, nodes: 10.10.0.0/16}
  provider:
    type: local
    workers: [{name: one, minimum: 1, maximum: 1, machine: {type: %s, image: {name: local, version: 1.0.0}}}]
`
	if r := f.TryKubectl(f.Garden(), "create", "-f", f.File("redefining.yaml", fmt.Sprintf(manifest, "local"))); r.Code == 0 || !strings.Contains(r.Stderr, "machine type local is defined by the parent") {
		t.Errorf("a profile that redefines a machine type of its parent: code %d, %s", r.Code, r.Stderr)
	}
	f.Kubectl(f.Garden(), "create", "-f", f.File("own.yaml", fmt.Sprintf(manifest, "tiny")))
	f.Eventually(time.Minute, "the profile tells what it offers", func() (bool, string) {
		got := f.garden("namespacedcloudprofile/own", "{.status.cloudProfileSpec.machineTypes[*].name}")
		return strings.Contains(got, "local") && strings.HasSuffix(got, "tiny"), got
	})
	for _, machine := range []string{"tiny", "local"} {
		f.Kubectl(f.Garden(), "create", "--dry-run=server", "-f", f.File("owner.yaml", fmt.Sprintf(shoot, kubeversion.Number, machine)))
	}
	if r := f.TryKubectl(f.Garden(), "create", "--dry-run=server", "-f", f.File("owner.yaml", fmt.Sprintf(shoot, kubeversion.Number, "huge"))); r.Code == 0 {
		t.Error("a machine type that nobody offers is accepted")
	}
	f.Kubectl(f.Garden(), "-n", project, "delete", "namespacedcloudprofile", "own", "--timeout=10m")
}
