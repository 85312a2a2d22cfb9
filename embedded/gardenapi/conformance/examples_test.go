package conformance

import (
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

func TestExamples(t *testing.T) {
	seen := map[string]bool{}
	for name, text := range manifests(t) {
		t.Run(name+" is valid", func(t *testing.T) {
			object, gvk, err := read(text)
			if err != nil {
				t.Fatal(err)
			}
			seen[gvk.String()] = true
			types.Default(object)
			if errs := validators[gvk].create(object); len(errs) > 0 {
				t.Error(describe(errs))
			}
		})
	}
	for gvk := range validators {
		if !seen[gvk.String()] {
			t.Errorf("there is no example of %s", gvk)
		}
	}
}

// TestGolden shows what defaults add to the examples.
func TestGolden(t *testing.T) {
	for name, text := range manifests(t) {
		t.Run(name, func(t *testing.T) {
			object, _, err := read(text)
			if err != nil {
				t.Fatal(err)
			}
			types.Default(object)
			got, err := yaml.Marshal(object)
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", "defaulted", name+".yaml")
			if *rewrite {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Errorf("defaulted (-want +got); -rewrite accepts it:\n%s", diff)
			}
		})
	}
}

// excused are fields that no example can have beside the others of its kind; they end so.
var excused = []string{
	".deployment.image.ref", ".ociRepository.ref", "helm.rawChart", // exclude their parts
	"spec.seedTemplate",                       // instead of gardenlet
	"spec.shootRef", "spec.dns.ingressDomain", // instead of seedRef and of ingress.domain
	".controlPlane.backup.secretRef",
}

// TestExamplesUseEveryField compares with the list of all fields.
func TestExamplesUseEveryField(t *testing.T) {
	used := map[string]map[string]bool{}
	for name, text := range manifests(t) {
		var document map[string]any
		if err := yaml.Unmarshal(text, &document); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		key := document["apiVersion"].(string) + " " + document["kind"].(string)
		if used[key] == nil {
			used[key] = map[string]bool{}
		}
		collect(document, "", used[key])
	}
	list, err := os.ReadFile("../openapi/testdata/paths.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(list)) {
		words := strings.Fields(line)
		fields, known := used[words[0]+" "+words[1]]
		path := words[2]
		switch {
		case !known, path == "status", strings.HasPrefix(path, "status."): // bodies of subresources, and what users do not write
		case words[1] == "ManagedSeedSet" && (strings.HasPrefix(path, "spec.shootTemplate.spec.") || strings.HasPrefix(path, "spec.template.spec.")):
		case slices.ContainsFunc(excused, func(part string) bool { return strings.Contains(path, part) }):
		case !fields[path]:
			t.Errorf("API-2 no example of %s %s has %s", words[0], words[1], path)
		}
	}
}

// collect notes the paths of all fields, in the words of the list.
func collect(node any, path string, into map[string]bool) {
	switch value := node.(type) {
	case map[string]any:
		into[path] = true
		into[path+"{}"] = true
		for _, name := range slices.Sorted(maps.Keys(value)) {
			collect(value[name], strings.TrimPrefix(path+"."+name, "."), into)
		}
	case []any:
		into[path+"[]"] = true
		into[path+"[]{}"] = true
		for _, element := range value {
			collect(element, path+"[]", into)
		}
	default:
		into[path] = true
	}
}

func toJSON(tb testing.TB, value any) []byte {
	tb.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		tb.Fatal(err)
	}
	return text
}
