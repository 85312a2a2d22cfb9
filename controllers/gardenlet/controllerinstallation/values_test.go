package controllerinstallation

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestValues(t *testing.T) {
	seed := &gardencorev1beta1.Seed{}
	seed.Name, seed.Labels, seed.Annotations = "one", map[string]string{"a": "b"}, map[string]string{"c": "d"}
	seed.Spec.Provider = gardencorev1beta1.SeedProvider{Type: "local", Region: "north"}
	seed.Spec.Networks = gardencorev1beta1.SeedNetworks{Pods: "10.1.0.0/16", Services: "10.2.0.0/16", BlockCIDRs: []string{"169.254.169.254/32"}}
	seed.Spec.Taints = []gardencorev1beta1.SeedTaint{{Key: "seed.gardener.cloud/protected"}}
	seed.Spec.Settings = &gardencorev1beta1.SeedSettings{Scheduling: &gardencorev1beta1.SeedSettingScheduling{Visible: false}}
	seed.Spec.Ingress = &gardencorev1beta1.Ingress{Domain: "in.example.org"}
	seed.Spec.Volume = &gardencorev1beta1.SeedVolume{Providers: []gardencorev1beta1.SeedVolumeProvider{{Purpose: "etcd-main", Name: "flexvolume"}}}
	seed.Status.ClusterIdentity = ptr.To("seed-1")
	got, err := Gardener{Version: "v1", Garden: "garden-1", Kubeconfig: "generic-1", Gates: map[string]bool{"X": true}}.values(seed)
	if err != nil {
		t.Fatal(err)
	}
	t.Run("EXT-23 charts learn about garden, gardenlet and seed", func(t *testing.T) {
		spec := got["seed"].(map[string]any)["spec"].(map[string]any)
		if provider, _ := json.Marshal(spec["provider"]); string(provider) != `{"region":"north","type":"local"}` {
			t.Errorf("provider in spec is %s", provider)
		}
		delete(got["seed"].(map[string]any), "spec")
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		const want = `{"garden":{"clusterIdentity":"garden-1","genericKubeconfigSecretName":"generic-1","identifier":"garden-1"},"gardenlet":{"featureGates":{"X":true}},` +
			`"seed":{"annotations":{"c":"d"},"blockCIDRs":["169.254.169.254/32"],"clusterIdentity":"seed-1","identifier":"seed-1","ingressDomain":"in.example.org",` +
			`"labels":{"a":"b"},"name":"one","networks":{"blockCIDRs":["169.254.169.254/32"],"pods":"10.1.0.0/16","services":"10.2.0.0/16"},"protected":true,` +
			`"provider":"local","region":"north","taints":[{"key":"seed.gardener.cloud/protected"}],"visible":false,"volumeProvider":"flexvolume",` +
			`"volumeProviders":[{"name":"flexvolume","purpose":"etcd-main"}]},"version":"v1"}`
		if diff := cmp.Diff(want, string(text)); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	})
	t.Run("EXT-23 a deployment cannot replace them, but add others", func(t *testing.T) {
		below := map[string]any{"version": "forged", "seed": map[string]any{"name": "forged", "more": "kept"}}
		merged := over(below, map[string]any{"version": "v1", "seed": map[string]any{"name": "one"}})
		want := map[string]any{"version": "v1", "seed": map[string]any{"name": "one", "more": "kept"}}
		if diff := cmp.Diff(want, merged); diff != "" {
			t.Errorf("values (-want +got):\n%s", diff)
		}
	})
}
