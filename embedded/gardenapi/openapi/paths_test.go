package openapi

import (
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// expected are the paths of all fields of the API with their types, a line each: group/version, kind, path, type. [] is
// the element of a list, {} the value of a map. Fields of types of Kubernetes itself are not listed.
//
//go:embed testdata/paths.txt
var expected string

// former are the ends of paths that are not listed any more. They are still served, for manifests of their time.
var former = []string{
	".controlPlane.backup.secretRef object", // until credentialsRef
	"spec.deployment.vpa boolean",           // in Gardenlet; until every gardenlet had an autoscaler
	"spec.deployment.type string",           // API-33, of ControllerRegistrations before ControllerDeployments
	"spec.deployment.providerConfig object",
	"status.kubeConfig string",            // AKC-2, of kubeconfig requests; until kubeconfig
	".addons.kubernetes-dashboard object", // API-27
	".addons.kubernetes-dashboard.authenticationMode string",
	".addons.kubernetes-dashboard.enabled boolean",
	".addons.nginx-ingress object",
	".addons.nginx-ingress.config{} string",
	".addons.nginx-ingress.enabled boolean",
	".addons.nginx-ingress.externalTrafficPolicy string",
	".addons.nginx-ingress.loadBalancerSourceRanges[] string",
}

const models = "com.github.gardener.gardener.pkg.apis."

func TestPaths(t *testing.T) {
	definitions := GetOpenAPIDefinitions(func(path string) spec.Ref { return spec.MustCreateRef("#/definitions/" + path) })
	want := map[string][]string{}
	for line := range strings.Lines(expected) {
		words := strings.Fields(line)
		kind := words[0] + " " + words[1]
		want[kind] = append(want[kind], words[2]+" "+words[3])
	}
	for kind, paths := range want {
		t.Run("API-1 every field of "+kind+" is served", func(t *testing.T) {
			var got []string
			walk(definitions, model(kind), "", func(path, kind string) { got = append(got, path+" "+kind) })
			for _, path := range without(paths, got) {
				t.Errorf("is missing: %s", path)
			}
			for _, path := range without(got, paths) {
				if !slices.ContainsFunc(former, func(end string) bool { return strings.HasSuffix(path, end) }) {
					t.Errorf("is not known: %s", path)
				}
			}
		})
	}
	t.Run("API-1 no other kind is defined", func(t *testing.T) {
		for name, definition := range definitions {
			_, versioned := definition.Schema.Properties["apiVersion"]
			_, object := definition.Schema.Properties["metadata"]
			if !versioned || !object || !strings.HasPrefix(name, models) || strings.HasSuffix(name, "List") {
				continue
			}
			if !slices.ContainsFunc(slices.Collect(maps.Keys(want)), func(kind string) bool { return model(kind) == name }) {
				t.Errorf("%s is not in the list", name)
			}
		}
	})
}

// model is the name of the definition of "group/version Kind". core/v1alpha1 is another name of what v1beta1 has.
func model(kind string) string {
	version, name, _ := strings.Cut(kind, " ")
	version = strings.Replace(version, "core.gardener.cloud/v1alpha1", "core.gardener.cloud/v1beta1", 1)
	group, version, _ := strings.Cut(version, "/")
	short, _, _ := strings.Cut(group, ".")
	return models + short + "." + version + "." + name
}

// walk visits all fields of a definition of this module and of those in it.
func walk(definitions map[string]common.OpenAPIDefinition, name, prefix string, visit func(path, kind string)) {
	for property, schema := range definitions[name].Schema.Properties {
		if prefix == "" && slices.Contains([]string{"apiVersion", "kind", "metadata"}, property) {
			continue
		}
		path := prefix + property
		for {
			if schema.Items != nil {
				path, schema = path+"[]", *schema.Items.Schema
			} else if schema.AdditionalProperties != nil && schema.AdditionalProperties.Schema != nil {
				path, schema = path+"{}", *schema.AdditionalProperties.Schema
				if schema.Items != nil { // values are lists
					break
				}
			} else {
				break
			}
		}
		target := reference(schema)
		visit(path, typeOf(definitions, schema))
		if strings.HasPrefix(target, models) {
			walk(definitions, target, path+".", visit)
		}
	}
}

func reference(schema spec.Schema) string {
	ref := schema.Ref.String()
	if len(schema.AllOf) == 1 {
		ref = schema.AllOf[0].Ref.String()
	}
	return strings.TrimPrefix(ref, "#/definitions/")
}

func typeOf(definitions map[string]common.OpenAPIDefinition, schema spec.Schema) string {
	if target := reference(schema); target != "" {
		schema = definitions[target].Schema
	}
	switch {
	case len(schema.Type) == 1:
		return schema.Type[0]
	case len(schema.OneOf) > 0:
		return "string"
	case len(schema.Type) == 0:
		return "any"
	}
	return fmt.Sprint(schema.Type)
}

func without(list, other []string) []string {
	known := map[string]bool{}
	for _, element := range other {
		known[element] = true
	}
	return slices.DeleteFunc(slices.Sorted(slices.Values(list)), func(element string) bool { return known[element] })
}
