package chart

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/controllerinstallation/chart/charttest"
)

var clusterKinds = []string{"ClusterRole", "ClusterRoleBinding", "CustomResourceDefinition", "MutatingWebhookConfiguration"}

// seed knows all kinds but those of the charts.
func seed(apis ...string) Cluster {
	return Cluster{Version: "v1.30.1+x", APIs: apis, Namespaced: func(kind schema.GroupVersionKind) (bool, bool) {
		return !slices.Contains(clusterKinds, kind.Kind), kind.Group != "webhook.example.org"
	}}
}

func gardener() map[string]any {
	return map[string]any{
		"version": "v1.99.0", "garden": map[string]any{"clusterIdentity": "garden-1"}, "gardenlet": map[string]any{"featureGates": map[string]any{"X": true}},
		"seed": map[string]any{"name": "one", "region": "north", "visible": true, "ingressDomain": "in.example.org"},
	}
}

func names(objects []*unstructured.Unstructured) []string {
	var out []string
	for _, object := range objects {
		out = append(out, fmt.Sprintf("%s %s/%s", object.GetKind(), object.GetNamespace(), object.GetName()))
	}
	slices.Sort(out)
	return out
}

func find(t *testing.T, objects []*unstructured.Unstructured, kind string) *unstructured.Unstructured {
	t.Helper()
	for _, object := range objects {
		if object.GetKind() == kind {
			return object
		}
	}
	t.Fatalf("no %s among %v", kind, names(objects))
	return nil
}

func container(t *testing.T, objects []*unstructured.Unstructured) map[string]any {
	t.Helper()
	containers, _, err := unstructured.NestedSlice(find(t, objects, "Deployment").Object, "spec", "template", "spec", "containers")
	if err != nil || len(containers) != 1 {
		t.Fatalf("containers: %v, %v", containers, err)
	}
	return containers[0].(map[string]any)
}

func TestRenderShapesOfPublicCharts(t *testing.T) {
	render := func(t *testing.T, name string, values map[string]any, cluster Cluster) []*unstructured.Unstructured {
		t.Helper()
		objects, _, err := Render(charttest.Pack(t, os.DirFS("testdata/"+name)), Release{Name: name, Namespace: "extension-x", Values: values, Cluster: cluster})
		if err != nil {
			t.Fatal(err)
		}
		return objects
	}
	t.Run("EXT-22 a network's chart with partials, checksums of other files and an image by digest", func(t *testing.T) {
		digest := "sha256:" + strings.Repeat("a", 64)
		objects := render(t, "networking", map[string]any{"gardener": gardener(), "image": map[string]any{"tag": digest}}, seed())
		want := []string{
			"ClusterRole /gardener-extension-networking", "ClusterRoleBinding /gardener-extension-networking",
			"ConfigMap extension-x/gardener-extension-networking-imagevector-overwrite",
			"Deployment extension-x/gardener-extension-networking", "ServiceAccount extension-x/gardener-extension-networking",
		}
		if diff := cmp.Diff(want, names(objects)); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
		got := container(t, objects)
		if diff := cmp.Diff([]any{"--gardener-version=v1.99.0", "--feature-gates=X=true,"}, got["args"]); diff != "" {
			t.Errorf("args (-want +got):\n%s", diff)
		}
		if got["image"] != "example.org/networking@"+digest {
			t.Errorf("image is %s", got["image"])
		}
	})
	t.Run("EXT-22 a chart learns which kinds the seed serves", func(t *testing.T) {
		find(t, render(t, "networking", map[string]any{"gardener": gardener()}, seed("autoscaling.k8s.io/v1", "autoscaling.k8s.io/v1/VerticalPodAutoscaler")), "VerticalPodAutoscaler")
	})
	t.Run("EXT-22 an operating system's chart with a library and a schema", func(t *testing.T) {
		objects := render(t, "os", map[string]any{"gardener": gardener(), "disableControllers": []any{"a", "b"}}, seed())
		if diff := cmp.Diff([]string{"Deployment extension-x/os-one"}, names(objects)); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff([]any{"--concurrent-syncs=5", "--disable-controllers=a,b"}, container(t, objects)["args"]); diff != "" {
			t.Errorf("args (-want +got):\n%s", diff)
		}
	})
	t.Run("EXT-22 an extension's chart with a webhook and a kind", func(t *testing.T) {
		objects := render(t, "webhook", map[string]any{"gardener": gardener()}, seed())
		want := []string{
			"CustomResourceDefinition /things.webhook.example.org", "Deployment extension-x/webhook", "MutatingWebhookConfiguration /webhook",
			"Secret extension-x/webhook-certificate", "Service extension-x/webhook", "Thing extension-x/default",
		}
		if diff := cmp.Diff(want, names(objects)); diff != "" {
			t.Errorf("objects (-want +got):\n%s", diff)
		}
		for _, kind := range []string{"CustomResourceDefinition", "Thing"} {
			if find(t, objects, kind).GetAnnotations()["resources.gardener.cloud/keep-object"] != "true" {
				t.Errorf("Helm keeps the %s when a chart goes", kind)
			}
		}
		if diff := cmp.Diff([]any{map[string]any{"name": "GARDEN", "value": "garden-1"}, map[string]any{"name": "DOMAIN", "value": "in.example.org"}}, container(t, objects)["env"]); diff != "" {
			t.Errorf("env (-want +got):\n%s", diff)
		}
	})
}

func TestRenderRefuses(t *testing.T) {
	const meta = "apiVersion: v2\nname: c\nversion: 1.0.0\n"
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	configMap := "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n"
	for name, tc := range map[string]struct {
		files   fstest.MapFS
		archive []byte
		values  map[string]any
		want    string
	}{
		"EXT-22 what is no archive":               {archive: []byte("x"), want: "read archive of chart"},
		"EXT-22 nothing":                          {archive: []byte{}, want: "the chart is empty"},
		"EXT-22 an archive without a chart":       {files: fstest.MapFS{"values.yaml": file("a: b")}, want: "Chart.yaml"},
		"EXT-22 a library":                        {files: fstest.MapFS{"Chart.yaml": file(meta + "type: library\n")}, want: "type \"library\""},
		"EXT-22 a chart for newer clusters":       {files: fstest.MapFS{"Chart.yaml": file(meta + "kubeVersion: '>= 1.99'\n")}, want: "needs Kubernetes >= 1.99, the seed has v1.30.1"},
		"EXT-22 a chart without its dependencies": {files: fstest.MapFS{"Chart.yaml": file(meta + "dependencies: [{name: other, version: 1.0.0}]\n")}, want: "lacks the charts it depends on in its directory charts: other"},
		"EXT-22 hooks, with a reason": {
			files: fstest.MapFS{"Chart.yaml": file(meta), "templates/job.yaml": file("apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: migrate\n  annotations: {helm.sh/hook: pre-install}\n")},
			want:  "hooks are not supported, since the objects of the chart are applied all at once, again and again: remove the annotation helm.sh/hook from Job \"migrate\"",
		},
		"EXT-22 a template that fails": {
			files: fstest.MapFS{"Chart.yaml": file(meta), "templates/a.yaml": file(`{{ required "a domain is needed" .Values.domain }}`)}, want: "a domain is needed",
		},
		"EXT-22 a template that makes no object": {files: fstest.MapFS{"Chart.yaml": file(meta), "templates/a.yaml": file("a: b")}, want: "object has no apiVersion or kind"},
		"EXT-22 values that the schema refuses": {
			files:  fstest.MapFS{"Chart.yaml": file(meta), "values.schema.json": file(`{"properties":{"size":{"type":"integer"}}}`), "templates/a.yaml": file(configMap)},
			values: map[string]any{"size": "large"}, want: "size",
		},
		"EXT-22 templates read no environment": {files: fstest.MapFS{"Chart.yaml": file(meta), "templates/a.yaml": file(`{{ env "HOME" }}`)}, want: `function "env" not defined`},
	} {
		t.Run(name, func(t *testing.T) {
			archive := tc.archive
			if tc.files != nil {
				archive = charttest.Pack(t, tc.files)
			}
			objects, _, err := Render(archive, Release{Name: "c", Namespace: "n", Values: tc.values, Cluster: seed()})
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, %v, want an error with %q", names(objects), err, tc.want)
			}
		})
	}
}
