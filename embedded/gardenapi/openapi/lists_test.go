package openapi

import (
	"slices"
	"strings"
	"testing"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

const ours = "com.github.gardener.gardener.pkg.apis."

// TestLists holds that every list says how server-side apply merges it, and that the keys of maps identify elements.
func TestLists(t *testing.T) {
	definitions := GetOpenAPIDefinitions(func(path string) spec.Ref { return spec.MustCreateRef("#/definitions/" + path) })
	for name, definition := range definitions {
		if !strings.HasPrefix(name, ours) || strings.HasSuffix(name, "List") {
			continue
		}
		for property, schema := range definition.Schema.Properties {
			if !schema.Type.Contains("array") {
				continue
			}
			path := strings.TrimPrefix(name, ours) + "." + property
			kind, _ := schema.Extensions.GetString("x-kubernetes-list-type")
			keys, _ := schema.Extensions["x-kubernetes-list-map-keys"].([]any)
			switch {
			case kind == "map":
				checkKeys(t, path, keys, schema.Items.Schema, definitions)
			case kind != "set" && kind != "atomic":
				t.Errorf("API-16 %s has list type %q", path, kind)
			}
			if mergeKey, merged := schema.Extensions.GetString("x-kubernetes-patch-merge-key"); merged && (len(keys) != 1 || keys[0] != mergeKey) {
				t.Errorf("%s is merged by %q in patches and by %v in server-side apply", path, mergeKey, keys)
			}
		}
	}
}

// checkKeys demands keys that every element has.
func checkKeys(t *testing.T, path string, keys []any, element *spec.Schema, definitions map[string]common.OpenAPIDefinition) {
	t.Helper()
	if len(keys) == 0 {
		t.Errorf("%s is a map without keys", path)
	}
	target := strings.TrimPrefix(element.Ref.String(), "#/definitions/")
	for _, key := range keys {
		if !slices.Contains(definitions[target].Schema.Required, key.(string)) {
			t.Errorf("%s: %v need not be there in %s", path, key, target)
		}
	}
}

func TestMapsOfShoots(t *testing.T) {
	definitions := GetOpenAPIDefinitions(func(path string) spec.Ref { return spec.MustCreateRef("#/definitions/" + path) })
	for path, want := range map[string]string{
		"core.v1beta1.Provider.workers":                           "name",
		"core.v1beta1.ShootSpec.extensions":                       "type",
		"core.v1beta1.ShootSpec.resources":                        "name",
		"core.v1beta1.ShootStatus.conditions":                     "type",
		"core.v1beta1.ShootStatus.constraints":                    "type",
		"core.v1beta1.KubernetesSettings.versions":                "version",
		"core.v1beta1.ControllerRegistrationSpec.resources":       "kind,type",
		"core.v1beta1.Worker.taints":                              "key,effect",
		"seedmanagement.v1alpha1.ManagedSeedStatus.conditions":    "type",
		"seedmanagement.v1alpha1.SeedAutoscalerStatus.conditions": "type",
		"seedmanagement.v1alpha1.SeedAutoscalerSpec.metrics":      "", // the same resource may have targets of two types
		"operations.v1alpha1.BastionStatus.conditions":            "type",
		"core.v1beta1.DNS.providers":                              "", // identified by type and credentials
		"core.v1beta1.ShootSpec.tolerations":                      "", // identified by key and value, which may be absent
	} {
		cut := strings.LastIndex(path, ".")
		schema := definitions[ours+path[:cut]].Schema.Properties[path[cut+1:]]
		keys, _ := schema.Extensions["x-kubernetes-list-map-keys"].([]any)
		var got []string
		for _, key := range keys {
			got = append(got, key.(string))
		}
		if strings.Join(got, ",") != want {
			t.Errorf("API-15 %s has keys %v, want %q", path, got, want)
		}
	}
}
