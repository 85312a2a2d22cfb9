package local_test

import (
	"testing"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/local"
)

func TestRegistrations(t *testing.T) {
	objects := local.Registrations()
	deployment := objects[len(objects)-2].(*gardencorev1beta1.ControllerDeployment)
	registration := objects[len(objects)-1].(*gardencorev1beta1.ControllerRegistration)
	if got := registration.Spec.Deployment.DeploymentRefs; len(got) != 1 || got[0].Name != deployment.Name {
		t.Errorf("EXT-20 registration refers to %v, want %s", got, deployment.Name)
	}
	seen := map[string]bool{}
	for _, resource := range registration.Spec.Resources {
		key := resource.Kind + " " + resource.Type
		if seen[key] {
			t.Errorf("EXT-5 %s is registered twice", key)
		}
		seen[key] = true
	}
	for _, want := range []string{
		"Infrastructure local", "ControlPlane local", "Worker local", "OperatingSystemConfig local", "DNSRecord local",
		"BackupBucket local", "BackupEntry local", "Bastion local", "Network local", "Network calico", "Network cilium",
		"OperatingSystemConfig ubuntu", "OperatingSystemConfig coreos", "OperatingSystemConfig suse-chost",
		"ContainerRuntime local", "ContainerRuntime gvisor", "ContainerRuntime kata-containers", "Extension local", "Extension local-ext-shoot", "Extension local-ext-shoot-after-worker", "Extension local-ext-seed", "Extension registry-cache", "Extension shoot-oidc-service",
	} {
		if !seen[want] {
			t.Errorf("EXT-20 %s is not registered", want)
		}
	}
}
