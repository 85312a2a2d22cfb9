package extensionvalidation

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

func parse(t *testing.T, kind, spec string) *unstructured.Unstructured {
	t.Helper()
	object := map[string]any{"apiVersion": "extensions.gardener.cloud/v1alpha1", "kind": kind, "metadata": map[string]any{"name": "x"}}
	var content map[string]any
	if err := yaml.Unmarshal([]byte(spec), &content); err != nil {
		t.Fatal(err)
	}
	object["spec"] = content
	parsed := &unstructured.Unstructured{}
	raw, err := (&unstructured.Unstructured{Object: object}).MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if err := parsed.UnmarshalJSON(raw); err != nil { // numbers get the types that they have in requests
		t.Fatal(err)
	}
	return parsed
}

func TestNew(t *testing.T) {
	for name, tc := range map[string]struct{ kind, spec, want string }{
		"a good infrastructure":           {"Infrastructure", "{type: a, region: b, secretRef: {name: c}}", ""},
		"all that is missing is named":    {"Infrastructure", "{region: ''}", "spec.type is missing; spec.region is missing; spec.secretRef.name is missing"},
		"buckets need a namespace":        {"BackupBucket", "{type: a, region: b, secretRef: {name: c}}", "spec.secretRef.namespace is missing"},
		"entries need a bucket":           {"BackupEntry", "{type: a, region: b, secretRef: {name: c, namespace: d}}", "spec.bucketName is missing"},
		"bastions let ranges in":          {"Bastion", "{type: a, userData: aa, ingress: [{ipBlock: {cidr: 1.2.3.4}}]}", `spec.ingress[0].ipBlock.cidr "1.2.3.4" is not a range of addresses`},
		"runtimes are for a pool":         {"ContainerRuntime", "{type: a, binaryPath: /b}", "spec.workerPool.name is missing"},
		"a control plane has a region":    {"ControlPlane", "{type: a, secretRef: {name: c}}", "spec.region is missing"},
		"an extension needs a type only":  {"Extension", "{type: a}", ""},
		"networks have ranges":            {"Network", "{type: a, podCIDR: 10.0.0.0/8, serviceCIDR: x}", `spec.serviceCIDR "x" is not a range of addresses`},
		"an address of the other family":  {"DNSRecord", "{type: a, secretRef: {name: c}, name: a.b, recordType: A, values: ['::1']}", `spec.values[0] "::1" is not a value of a record of type A`},
		"an address of the right family":  {"DNSRecord", "{type: a, secretRef: {name: c}, name: '*.a.b', recordType: AAAA, values: ['::1']}", ""},
		"a CNAME has one value":           {"DNSRecord", "{type: a, secretRef: {name: c}, name: a.b, recordType: CNAME, values: [c.d, e.f]}", "spec.values has 2 entries, a CNAME has one"},
		"texts are free":                  {"DNSRecord", "{type: a, secretRef: {name: c}, name: _x.a.b, recordType: TXT, values: ['x y']}", ""},
		"unknown record type":             {"DNSRecord", "{type: a, secretRef: {name: c}, name: a.b, recordType: MX, values: [x]}", `spec.recordType "MX" is not one of A, AAAA, CNAME, TXT`},
		"names must be names":             {"DNSRecord", "{type: a, secretRef: {name: c}, name: a b, recordType: A, values: [1.2.3.4]}", `spec.name "a b" is not a domain name`},
		"units and files are unique":      {"OperatingSystemConfig", "{type: a, purpose: provision, units: [{name: u}, {name: u}], files: [{path: /f, content: {inline: {}}}, {path: f, content: {}}]}", `spec.units[1].name "u" is there twice; spec.files[1].path "f" is not absolute; spec.files[1].content has 0 of inline, secretRef and imageRef instead of one`},
		"pools are unique and have sizes": {"Worker", "{type: a, region: b, secretRef: {name: c}, pools: [{name: p, machineType: m, minimum: 2, maximum: 1}, {name: p}]}", `spec.pools[1].name "p" is there twice; spec.pools[0] has between 2 and 1 machines; spec.pools[1].machineType is missing`},
		"other kinds are not judged":      {"Cluster", "{}", ""},
	} {
		t.Run(name, func(t *testing.T) {
			got := strings.Join(New(parse(t, tc.kind, tc.spec)), "; ")
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChanged(t *testing.T) {
	const old = "{type: a, region: b, secretRef: {name: c}}"
	for name, tc := range map[string]struct {
		spec     string
		deleting bool
		want     []string
	}{
		"an unchanged object":                  {spec: old, deleting: true},
		"another secret":                       {spec: "{type: a, region: b, secretRef: {name: d}}"},
		"another type and region":              {spec: "{type: x, region: y, secretRef: {name: c}}", want: []string{"spec.type is immutable", "spec.region is immutable"}},
		"a change of an object on its way out": {spec: "{type: a, region: b, secretRef: {name: d}}", deleting: true, want: []string{"spec cannot be changed while the object is being deleted"}},
		"a change for the worse":               {spec: "{type: a, region: b}", want: []string{"spec.secretRef.name is missing"}},
	} {
		t.Run(name, func(t *testing.T) {
			object := parse(t, "Infrastructure", tc.spec)
			if tc.deleting {
				object.Object["metadata"].(map[string]any)["deletionTimestamp"] = "2026-01-01T00:00:00Z"
			}
			if diff := cmp.Diff(tc.want, Changed(object, parse(t, "Infrastructure", old))); diff != "" {
				t.Errorf("problems (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("every kind is registered", func(t *testing.T) {
		if len(Resources()) != len(rules) {
			t.Errorf("resources %v, but %d rules", Resources(), len(rules))
		}
	})
}
