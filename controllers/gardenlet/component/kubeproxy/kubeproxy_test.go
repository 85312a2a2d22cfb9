package kubeproxy

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestConfiguration(t *testing.T) {
	type settings struct {
		Mode         string          `json:"mode"`
		FeatureGates map[string]bool `json:"featureGates"`
		ClusterCIDR  string          `json:"clusterCIDR"`
	}
	mode := func(m gardencorev1beta1.ProxyMode) *gardencorev1beta1.KubeProxyConfig {
		return &gardencorev1beta1.KubeProxyConfig{Mode: ptr.To(m)}
	}
	gates := mode("IPVS")
	gates.FeatureGates = map[string]bool{"X": true}
	for name, tc := range map[string]struct {
		config *gardencorev1beta1.KubeProxyConfig
		want   settings
	}{
		"API-21 a Shoot that says nothing has iptables":     {nil, settings{Mode: "iptables"}},
		"API-21 mode IPTables":                              {mode("IPTables"), settings{Mode: "iptables"}},
		"API-21 mode IPVS and feature gates are taken over": {gates, settings{Mode: "ipvs", FeatureGates: map[string]bool{"X": true}}},
		"API-21 mode NFTables":                              {mode("NFTables"), settings{Mode: "nftables"}},
	} {
		t.Run(name, func(t *testing.T) {
			objects, err := Objects(Values{Config: tc.config, PodCIDR: "10.0.0.0/8", Pools: []Pool{{Name: "a", Version: "1.36.3"}}})
			if err != nil {
				t.Fatal(err)
			}
			tc.want.ClusterCIDR = "10.0.0.0/8"
			for _, object := range objects {
				config, ok := object.(*corev1.ConfigMap)
				if !ok {
					continue
				}
				var got settings
				if err := yaml.Unmarshal([]byte(config.Data["config.yaml"]), &got); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(tc.want, got); diff != "" {
					t.Errorf("configuration (-want +got):\n%s", diff)
				}
				return
			}
			t.Error("there is no ConfigMap")
		})
	}
}
