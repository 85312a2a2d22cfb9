package network

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
)

func TestCheckConfig(t *testing.T) {
	for name, tc := range map[string]struct {
		networkType, config string
		want                []string // parts of the error; nil for none
	}{
		"NWX-2 no configuration is fine":            {"calico", ``, nil},
		"NWX-2 the configuration of the documents":  {"calico", `{"apiVersion":"calico.extensions.gardener.cloud/v1alpha1","kind":"NetworkConfig","ipam":{"type":"host-local","cidr":"usePodCIDR"},"backend":"bird","typha":{"enabled":true}}`, nil},
		"NWX-2 the configuration of today":          {"calico", `{"apiVersion":"calico.networking.extensions.gardener.cloud/v1alpha1","kind":"NetworkConfig","backend":"none","overlay":{"enabled":false}}`, nil},
		"NWX-2 fields of later versions are passed": {"cilium", `{"apiVersion":"cilium.networking.extensions.gardener.cloud/v1alpha1","kind":"NetworkConfig","new":{"enabled":"perhaps"},"mtu":1400}`, nil},
		"NWX-2 the type local reads no field":       {"local", `{"anything":1}`, nil},
		"NWX-2 null is a missing field":             {"calico", `{"typha":null,"backend":null}`, nil},
		"NWX-2 a value that does not exist":         {"calico", `{"backend":"birdd"}`, []string{"providerConfig.backend", `"birdd"`, "bird, none, vxlan", "calico"}},
		"NWX-2 a text for a switch":                 {"calico", `{"typha":{"enabled":"yes"}}`, []string{"providerConfig.typha.enabled", `"yes"`, "true or false"}},
		"NWX-2 a text for an object":                {"calico", `{"ipam":"host-local"}`, []string{"providerConfig.ipam ", `"host-local"`, "an object"}},
		"NWX-2 half a number":                       {"cilium", `{"mtu":1400.5}`, []string{"providerConfig.mtu", "1400.5", "whole number"}},
		"NWX-2 the document of another network":     {"cilium", `{"apiVersion":"calico.networking.extensions.gardener.cloud/v1alpha1","kind":"NetworkConfig"}`, []string{"providerConfig.apiVersion", "calico.networking", "cilium.networking"}},
		"NWX-2 another document":                    {"calico", `{"kind":"Shoot"}`, []string{"providerConfig.kind", `"Shoot"`, "NetworkConfig"}},
		"NWX-2 no object":                           {"local", `["a"]`, []string{"providerConfig", `[\"a\"]`, "no object"}},
		"NWX-2 no JSON":                             {"local", `{`, []string{"providerConfig", `"{"`}},
	} {
		t.Run(name, func(t *testing.T) {
			err := checkConfig(tc.networkType, &runtime.RawExtension{Raw: []byte(tc.config)})
			if (err != nil) != (tc.want != nil) {
				t.Fatalf("error is %v", err)
			}
			for _, part := range tc.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not contain %q", err, part)
				}
			}
		})
	}
	if err := checkConfig("calico", nil); err != nil {
		t.Error(err)
	}
}
