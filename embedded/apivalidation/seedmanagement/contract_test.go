package seedmanagement

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/mistakes"
)

func TestContract(t *testing.T) {
	R, meta := mistakes.R, metav1.ObjectMeta{Name: "a", Namespace: "garden", ResourceVersion: "1"}
	managed := func() *seedmanagement.ManagedSeed {
		seed := &seedmanagement.ManagedSeed{ObjectMeta: meta, Spec: seedmanagement.ManagedSeedSpec{
			Shoot: &seedmanagement.Shoot{Name: "a"}, Gardenlet: &seedmanagement.GardenletConfig{},
		}}
		seedmanagement.SetObjectDefaults_ManagedSeed(seed)
		return seed
	}
	const deployment = "spec.gardenlet.deployment."
	mistakes.Check(t, managed, ValidateManagedSeed,
		R("API-37 seeds are in the garden", "metadata.namespace", `"garden-a"`),
		R("API-37 a seed has a shoot", "spec.shoot", `null`, "spec.shoot.name"),
		R("MSD-2 a seed is registered in one way", "spec.gardenlet", `null`),
		R("MSD-2 a seed is registered in no two ways", "spec.seedTemplate", `{"spec":{"provider":{"type":"a","region":"b"},"networks":{"pods":"10.0.0.0/16","services":"10.1.0.0/16"},"ingress":{"domain":"example.org","controller":{"kind":"nginx"}},"dns":{"provider":{"type":"a","secretRef":{"name":"a","namespace":"b"}}}}}`, "spec.gardenlet"),
		R("API-37 a way to begin is known", "spec.gardenlet.bootstrap", `"x"`),
		R("API-37 replicas are counted", deployment+"replicaCount", `-1`),
		R("API-37 revisions are counted", deployment+"revisionHistoryLimit", `-1`),
		R("API-37 labels are labels", deployment+"podLabels", `{"a b":"c"}`),
		R("API-37 annotations are annotations", deployment+"podAnnotations", `{"a b":"c"}`),
		R("API-37 a policy of pulls is known", deployment+"image", `{"pullPolicy":"x"}`, deployment+"image.pullPolicy"),
		R("API-37 an image is named in one way", deployment+"image", `{"ref":"a","tag":"b"}`, deployment+"image.ref"),
		R("API-37 a configuration is of a gardenlet", "spec.gardenlet.config", `{"apiVersion":"v1","kind":"Pod"}`, "spec.gardenlet.config.apiVersion", "spec.gardenlet.config.kind"),
		R("VPN-4 the network of the tunnel is not for seeds", "spec.gardenlet.config", `{"apiVersion":"gardenlet.config.gardener.cloud/v1alpha1","kind":"GardenletConfiguration","seedConfig":{"spec":{"networks":{"pods":"192.168.123.0/24"}}}}`, "spec.gardenlet.config.seedConfig.spec.networks.pods"),
		R("API-37 the seed has the name of the object", "spec.gardenlet.config", `{"apiVersion":"gardenlet.config.gardener.cloud/v1alpha1","kind":"GardenletConfiguration","seedConfig":{"metadata":{"name":"b"}}}`, "spec.gardenlet.config.seedConfig.metadata.name"),
		R("API-37 the kubeconfig is made", "spec.gardenlet.config", `{"apiVersion":"gardenlet.config.gardener.cloud/v1alpha1","kind":"GardenletConfiguration","seedClientConnection":{"kubeconfig":"a"}}`, "spec.gardenlet.config.seedClientConnection.kubeconfig"),
	)
	mistakes.CheckUpdate(t, managed, ValidateManagedSeedUpdate,
		R("API-37 the shoot is fixed", "spec.shoot.name", `"b"`, "spec.shoot"),
		R("API-37 the way to begin is fixed", "spec.gardenlet.bootstrap", `"None"`),
		R("API-37 the parent stays", "spec.gardenlet.mergeWithParent", `false`),
	)
	gardenlet := func() *seedmanagement.Gardenlet {
		g := &seedmanagement.Gardenlet{ObjectMeta: meta}
		g.Spec.Deployment.Helm.OCIRepository.Ref = new("a")
		g.Spec.Config = &runtime.RawExtension{Raw: []byte(`{"apiVersion":"gardenlet.config.gardener.cloud/v1alpha1","kind":"GardenletConfiguration","seedConfig":{}}`)}
		return g
	}
	mistakes.Check(t, gardenlet, ValidateGardenlet,
		R("gardenlets are in the garden", "metadata.namespace", `"garden-a"`),
		R("a gardenlet has a chart", "spec.deployment.helm.ociRepository", `{}`, "spec.deployment.helm.ociRepository.repository"),
		R("a gardenlet has a configuration", "spec.config", `null`),
		R("VPN-4 the network of the tunnel is not for seeds", "spec.config", `{"apiVersion":"gardenlet.config.gardener.cloud/v1alpha1","kind":"GardenletConfiguration","seedConfig":{"spec":{"networks":{"services":"192.168.0.0/16"}}}}`, "spec.config.seedConfig.spec.networks.services"),
		R("a gardenlet has a seed", "spec.config", `{"apiVersion":"gardenlet.config.gardener.cloud/v1alpha1","kind":"GardenletConfiguration"}`, "spec.config.seedConfig"),
	)
	set := func() *seedmanagement.ManagedSeedSet { return &seedmanagement.ManagedSeedSet{ObjectMeta: meta} }
	mistakes.CheckUpdate(t, set, ValidateManagedSeedSetStatusUpdate,
		R("replicas are counted", "status.replicas", `-1`),
		R("a reason is known", "status.pendingReplica", `{"name":"a-0","reason":"x","since":null,"retries":-1}`, "status.pendingReplica.reason", "status.pendingReplica.retries"),
		R("a replica has a name", "status.pendingReplica", `{"reason":"SeedNotReady","since":null}`, "status.pendingReplica.name"),
	)
}
