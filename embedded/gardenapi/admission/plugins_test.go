package admission

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apiserver/pkg/admission"
)

// TestOrder holds the chain as users of flags know it.
func TestOrder(t *testing.T) {
	var got []string
	for _, plugin := range plugins() {
		name := plugin.name
		if plugin.off {
			name += "*"
		}
		got = append(got, name)
	}
	want := []string{
		"NamespaceLifecycle", "ResourceReferenceManager", "ExtensionValidator", "ExtensionLabels", "PlantValidator", "ShootTolerationRestriction", "ShootExposureClass", "ShootDNS",
		"ShootManagedSeed", "ShootNodeLocalDNSEnabledByDefault*", "ShootDNSRewriting*", "ShootQuotaValidator", "ShootValidator",
		"SeedValidator", "NamespacedCloudProfileValidator", "ControllerRegistrationResources", "ProjectValidator", "DeletionConfirmation",
		"OpenIDConnectPreset", "ClusterOpenIDConnectPreset", "CustomVerbAuthorizer", "ShootVPAEnabledByDefault*", "ManagedSeed", "ManagedSeedShoot",
		"Bastion", "MutatingAdmissionPolicy*", "MutatingAdmissionWebhook", "ValidatingAdmissionPolicy", "ValidatingAdmissionWebhook", "ResourceQuota",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ADM-1 plugins, * for those that are off by default (-want +got):\n%s", diff)
	}
}

func TestRegister(t *testing.T) {
	for _, one := range plugins() {
		if one.register == nil {
			continue
		}
		registered := admission.NewPlugins()
		one.register(registered)
		if diff := cmp.Diff([]string{one.name}, registered.Registered()); diff != "" {
			t.Errorf("ADM-1 registered (-want +got):\n%s", diff)
		}
	}
}
