package manifest_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/manifest"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

const configMaps = `
apiVersion: v1
kind: ConfigMap
metadata: {name: one, namespace: default, creationTimestamp: null}
---
# nothing here
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: two}
`

func TestDecode(t *testing.T) {
	for name, tc := range map[string]struct {
		data    map[string]string
		want    []string
		wantErr string
	}{
		"GRM-2 several documents and lists in one key": {data: map[string]string{"a": configMaps}, want: []string{"one", "two"}},
		"GRM-2 keys in sorted order, also JSON": {
			data: map[string]string{
				"b": `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"last"}}`,
				"a": "apiVersion: v1\nkind: Secret\nmetadata: {name: first}",
			},
			want: []string{"first", "last"},
		},
		"an empty key holds nothing":   {data: map[string]string{"a": "", "b": "# only a comment"}},
		"a document without kind":      {data: map[string]string{"a": "apiVersion: v1\nmetadata: {name: x}"}, wantErr: `key "a": document 1: object has no apiVersion or kind`},
		"a document without name":      {data: map[string]string{"a": "apiVersion: v1\nkind: Secret"}, wantErr: "Secret has no metadata.name"},
		"a key that is not YAML":       {data: map[string]string{"a": "a: b: c"}, wantErr: `key "a": document 1`},
		"all broken keys are named":    {data: map[string]string{"a": "a: b: c", "z": "kind: x"}, wantErr: `key "z"`},
		"GRM-2 compressed keys":        {data: map[string]string{"data.yaml.br": compressed(t, configMaps)}, want: []string{"one", "two"}},
		"a key that is not compressed": {data: map[string]string{"data.yaml.br": "kind: x"}, wantErr: `decompress key "data.yaml.br"`},
	} {
		t.Run(name, func(t *testing.T) {
			data := map[string][]byte{}
			for key, value := range tc.data {
				data[key] = []byte(value)
			}
			objects, err := manifest.Decode(data)
			if tc.wantErr != "" {
				if err == nil || !strings.Contains(err.Error(), tc.wantErr) {
					t.Fatalf("error = %v, want one with %q", err, tc.wantErr)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			var names []string
			for _, object := range objects {
				names = append(names, object.GetName())
			}
			if diff := cmp.Diff(tc.want, names); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeMovesStringDataToData(t *testing.T) {
	object := decode(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: s}\nstringData: {user: admin}\ndata: {x: eA==}")
	want := map[string]any{"user": "YWRtaW4=", "x": "eA=="}
	if diff := cmp.Diff(want, object.Object["data"]); diff != "" || object.Object["stringData"] != nil {
		t.Errorf("data (-want +got):\n%s\nstringData: %v", diff, object.Object["stringData"])
	}
}

func TestMark(t *testing.T) {
	t.Run("GRM-5 injected labels reach every pod template", func(t *testing.T) {
		for kind, path := range map[string][]string{
			"Deployment":  {"spec", "template", "metadata", "labels"},
			"StatefulSet": {"spec", "template", "metadata", "labels"},
			"DaemonSet":   {"spec", "template", "metadata", "labels"},
			"Job":         {"spec", "template", "metadata", "labels"},
			"CronJob":     {"spec", "jobTemplate", "spec", "template", "metadata", "labels"},
		} {
			object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "x/v1", "kind": kind, "metadata": map[string]any{"name": "x"}}}
			if err := manifest.Mark(object, "ns/mr", "gardener", map[string]string{"foo": "bar"}); err != nil {
				t.Fatal(err)
			}
			if value, _, _ := unstructured.NestedString(object.Object, append(path, "foo")...); value != "bar" {
				t.Errorf("label of the pod template of %s = %q", kind, value)
			}
			if object.GetLabels()["foo"] != "bar" {
				t.Errorf("labels of %s = %v", kind, object.GetLabels())
			}
		}
	})
	t.Run("GRM-19 GRM-21 origin and manager are marked", func(t *testing.T) {
		object := decode(t, "apiVersion: v1\nkind: Secret\nmetadata: {name: s, labels: {a: b}}")
		if err := manifest.Mark(object, manifest.Origin("id", "ns", "mr"), "somebody", nil); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(map[string]string{resourcesv1alpha1.OriginAnnotation: "id:ns/mr"}, object.GetAnnotations()); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(map[string]string{"a": "b", resourcesv1alpha1.ManagedBy: "somebody"}, object.GetLabels()); diff != "" {
			t.Error(diff)
		}
	})
	if got := manifest.Origin("", "ns", "mr"); got != "ns/mr" {
		t.Errorf("GRM-19 origin without identity = %q", got)
	}
}

func TestFlag(t *testing.T) {
	for value, want := range map[string]bool{"1": true, "t": true, "T": true, "true": true, "TRUE": true, "True": true, "0": false, "yes": false, "": false} {
		if got := manifest.Flag(map[string]string{"x": value}, "x"); got != want {
			t.Errorf("GRM-10 Flag(%q) = %v, want %v", value, got, want)
		}
	}
}

const deployment = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: d, annotations: {%s}}
spec:
  replicas: %s
  template: {spec: {containers: [{name: a, image: i, resources: {requests: {cpu: %s}}}, {name: b, image: i}]}}
`

func TestPreserve(t *testing.T) {
	build := func(annotation, replicas, cpu string) *unstructured.Unstructured {
		return decode(t, strings.NewReplacer("{%s}", "{"+annotation+"}", "replicas: %s", "replicas: "+replicas, "cpu: %s", "cpu: "+cpu).Replace(deployment))
	}
	for name, tc := range map[string]struct {
		desired, live, want *unstructured.Unstructured
		scaled              manifest.Scaled
	}{
		"GRM-11 replicas are kept with the annotation": {
			desired: build(`resources.gardener.cloud/preserve-replicas: "true"`, "1", "1m"), live: build("", "3", "9m"),
			want: build(`resources.gardener.cloud/preserve-replicas: "true"`, "3", "1m"),
		},
		"GRM-12 resources are kept with the annotation, by container": {
			desired: build(`resources.gardener.cloud/preserve-resources: "true"`, "1", "1m"), live: build("", "3", "9m"),
			want: build(`resources.gardener.cloud/preserve-resources: "true"`, "1", "9m"),
		},
		"GRM-13 replicas are kept for a horizontal autoscaler": {
			desired: build("", "1", "1m"), live: build("", "3", "9m"), want: build("", "3", "1m"), scaled: manifest.Scaled{Replicas: true},
		},
		"GRM-13 resources are kept for a vertical autoscaler": {
			desired: build("", "1", "1m"), live: build("", "3", "9m"), want: build("", "1", "9m"), scaled: manifest.Scaled{Resources: true},
		},
		"without annotation nothing is kept": {desired: build("", "1", "1m"), live: build("", "3", "9m"), want: build("", "1", "1m")},
	} {
		t.Run(name, func(t *testing.T) {
			manifest.Preserve(tc.desired, tc.live, tc.scaled)
			if diff := cmp.Diff(tc.want.Object, tc.desired.Object); diff != "" {
				t.Errorf("desired (-want +got):\n%s", diff)
			}
		})
	}
}

func TestSatisfied(t *testing.T) {
	live := map[string]any{"a": int64(1), "list": []any{map[string]any{"x": "y", "defaulted": true}}, "status": "whatever"}
	for name, tc := range map[string]struct {
		desired map[string]any
		want    bool
	}{
		"fields that only the live object has do not matter": {map[string]any{"a": int64(1), "list": []any{map[string]any{"x": "y"}}}, true},
		"a changed value matters":                            {map[string]any{"a": int64(2)}, false},
		"a missing field matters":                            {map[string]any{"b": int64(2)}, false},
		"another number of items matters":                    {map[string]any{"list": []any{}}, false},
		"null and empty are absent":                          {map[string]any{"n": nil, "m": map[string]any{}, "l": []any{}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := manifest.Satisfied(tc.desired, live); got != tc.want {
				t.Errorf("Satisfied = %v, want %v", got, tc.want)
			}
		})
	}
}

func TestPhase(t *testing.T) {
	order := []schema.GroupKind{
		manifest.CRDKind, {Kind: "ServiceAccount"}, {Group: "rbac.authorization.k8s.io", Kind: "RoleBinding"},
		{Group: "apps", Kind: "Deployment"}, {Group: "admissionregistration.k8s.io", Kind: "ValidatingWebhookConfiguration"},
	}
	for i := 1; i < len(order); i++ {
		if manifest.Phase(order[i-1]) >= manifest.Phase(order[i]) {
			t.Errorf("%s is not applied before %s", order[i-1], order[i])
		}
	}
}

func TestChecksumDependsOnKeysAndValues(t *testing.T) {
	sums := map[string]bool{}
	for _, data := range []map[string][]byte{{}, {"a": []byte("bc")}, {"ab": []byte("c")}, {"a": []byte("b"), "c": nil}, {"a": []byte("b")}} {
		sums[manifest.Checksum(data)] = true
	}
	if len(sums) != 5 {
		t.Errorf("%d different checksums of 5 contents", len(sums))
	}
}

func compressed(t *testing.T, raw string) string {
	t.Helper()
	value, err := manifest.Compress([]byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return string(value)
}

func decode(t *testing.T, raw string) *unstructured.Unstructured {
	t.Helper()
	objects, err := manifest.Decode(map[string][]byte{"x": []byte(raw)})
	if err != nil || len(objects) != 1 {
		t.Fatalf("decode: %d objects, %v", len(objects), err)
	}
	return objects[0]
}
