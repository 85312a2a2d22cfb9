package openapi

import (
	"strings"
	"testing"

	"k8s.io/kube-openapi/pkg/validation/spec"
)

func TestDefinitions(t *testing.T) {
	definitions := GetOpenAPIDefinitions(func(path string) spec.Ref { return spec.MustCreateRef("#/definitions/" + path) })
	for _, name := range []string{
		"com.github.gardener.gardener.pkg.apis.core.v1beta1.Shoot",
		"com.github.gardener.gardener.pkg.apis.core.v1.ControllerDeployment",
		"com.github.gardener.gardener.pkg.apis.security.v1alpha1.CredentialsBinding",
		"com.github.gardener.gardener.pkg.apis.seedmanagement.v1alpha1.ManagedSeedSetList",
		"com.github.gardener.gardener.pkg.apis.seedmanagement.v1alpha1.SeedAutoscalerList",
		"io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta",
		"io.k8s.api.core.v1.ObjectReference",
	} {
		if _, ok := definitions[name]; !ok {
			t.Errorf("API-1 %s is not defined", name)
		}
	}
	for name, definition := range definitions {
		for _, dependency := range definition.Dependencies {
			if _, ok := definitions[dependency]; !ok {
				t.Errorf("%s refers to %s, which is not defined", name, dependency)
			}
		}
		if !strings.HasPrefix(name, "com.github.gardener.") {
			continue
		}
		for property, schema := range definition.Schema.Properties {
			if schema.Description == "" {
				t.Errorf("%s.%s has no description", name, property)
			}
		}
	}
}
