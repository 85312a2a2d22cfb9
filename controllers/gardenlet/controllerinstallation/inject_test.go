package controllerinstallation

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/bootstrap"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

var garden = bootstrap.Garden{Server: "https://garden.example", ServerName: "api.garden", CA: []byte("CA")}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	out := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &out.Object); err != nil {
		t.Fatal(err)
	}
	return out
}

func TestInjectGarden(t *testing.T) {
	access, err := newGardenAccess("one", "extension-one", garden)
	if err != nil {
		t.Fatal(err)
	}
	inject := func(t *testing.T, text string) string {
		t.Helper()
		o := object(t, text)
		injectGarden([]*unstructured.Unstructured{o}, access, "north")
		out, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		return string(out)
	}
	const pod = `metadata: {labels: {a: b}}
spec: {initContainers: [{name: i}], containers: [{name: c, env: [{name: A, value: b}]}]}
`
	indent := func(depth int) string {
		return strings.ReplaceAll("\n"+strings.TrimSpace(pod), "\n", "\n"+strings.Repeat(" ", depth)) + "\n"
	}
	for kind, api := range map[string]string{
		"Deployment": "apps/v1", "StatefulSet": "apps/v1", "DaemonSet": "apps/v1", "Job": "batch/v1", "CronJob": "batch/v1",
	} {
		t.Run("EXT-22 containers of a "+kind+" get the kubeconfig of the garden and the name of the seed", func(t *testing.T) {
			spec := "spec:\n  template:" + indent(4)
			if kind == "CronJob" {
				spec = "spec:\n  jobTemplate:\n    spec:\n      template:" + indent(8)
			}
			got := inject(t, "apiVersion: "+api+"\nkind: "+kind+"\nmetadata: {name: a}\n"+spec)
			for what, times := range map[string]int{
				"name: GARDEN_KUBECONFIG": 2, "value: north": 2, "mountPath: " + gardenDirectory: 2, "name: A": 1,
				"name: garden-access-extension": 1, access.kubeconfig.Name: 2, // in the volume and for the garbage collector
			} {
				if kind == "Job" && what == access.kubeconfig.Name {
					continue // see below
				}
				if n := strings.Count(got, what); n < times {
					t.Errorf("%q is there %d times, want %d:\n%s", what, n, times, got)
				}
			}
		})
	}
	for name, text := range map[string]string{
		"an object that is no workload":          "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nspec:\n  template:" + indent(4),
		"a workload elsewhere":                   "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a, namespace: other}\nspec:\n  template:" + indent(4),
		"a workload without a template":          "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {}\n",
		"a workload with containers of no shape": "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {containers: no}}}\n",
		"a workload with a volume of the name":   "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {template: {spec: {volumes: [{name: garden-kubeconfig}], containers: [{name: c}]}}}\n",
	} {
		t.Run("EXT-22 "+name+" stays as it is", func(t *testing.T) {
			want, err := yaml.Marshal(object(t, text).Object)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), inject(t, text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	const job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {containers: [{name: c}]}}}\n"
	t.Run("EXT-22 a new authority of the garden does not change the template of a Job, which is immutable", func(t *testing.T) {
		renewed := garden
		renewed.CA = []byte("CA and its successor")
		other, err := newGardenAccess("one", "extension-one", renewed)
		if err != nil {
			t.Fatal(err)
		}
		if other.kubeconfig.Name == access.kubeconfig.Name || other.jobKubeconfig.Name != access.jobKubeconfig.Name {
			t.Errorf("Secrets %q and %q, for Jobs %q and %q", access.kubeconfig.Name, other.kubeconfig.Name, access.jobKubeconfig.Name, other.jobKubeconfig.Name)
		}
		o := object(t, job)
		injectGarden([]*unstructured.Unstructured{o}, other, "north")
		after, err := yaml.Marshal(o.Object)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(inject(t, job), string(after)); diff != "" {
			t.Errorf("(-before +after):\n%s", diff)
		}
	})
	t.Run("EXT-22 a Job whose template changes all the same is made anew, unless the chart decides it", func(t *testing.T) {
		o, decided := object(t, job), object(t, job)
		decided.SetAnnotations(map[string]string{resourcesv1alpha1.DeleteOnInvalidUpdate: "false"})
		elsewhere := object(t, job)
		elsewhere.SetNamespace("other")
		renewJobs([]*unstructured.Unstructured{o, decided, elsewhere}, "extension-one")
		for want, got := range map[string]*unstructured.Unstructured{"true": o, "false": decided, "": elsewhere} {
			if got := got.GetAnnotations()[resourcesv1alpha1.DeleteOnInvalidUpdate]; got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	})
	t.Run("EXT-22 a container keeps its own variables", func(t *testing.T) {
		got := inject(t, "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\n"+
			"spec: {template: {spec: {containers: [{name: c, env: [{name: GARDEN_KUBECONFIG, value: own}, {name: SEED_NAME, value: mine}]}]}}}\n")
		if strings.Contains(got, gardenDirectory) || strings.Contains(got, "north") || !strings.Contains(got, "value: own") {
			t.Error(got)
		}
	})
}

func TestGardenAccess(t *testing.T) {
	installation := &gardencorev1beta1.ControllerInstallation{}
	installation.Name = "one"
	r := &Reconciler{Address: &garden}
	t.Run("EXT-22 a deployment may refuse the access", func(t *testing.T) {
		for want, set := range map[bool]*bool{false: ptr.To(false), true: nil} {
			access, err := r.gardenAccess(installation, &gardencorev1beta1.ControllerDeployment{InjectGardenKubeconfig: set})
			if err != nil || (access != nil) != want {
				t.Errorf("%v: access %v, error %v", set, access, err)
			}
		}
	})
	t.Run("EXT-22 the kubeconfig names the garden and a file with a token, and has no secret", func(t *testing.T) {
		access, err := r.gardenAccess(installation, &gardencorev1beta1.ControllerDeployment{})
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(access.kubeconfig.Data["kubeconfig"], &got); err != nil {
			t.Fatal(err)
		}
		want := map[string]any{
			"apiVersion": "v1", "kind": "Config", "current-context": "garden", "preferences": map[string]any{},
			"clusters": []any{map[string]any{"name": "garden", "cluster": map[string]any{
				"server": "https://garden.example", "tls-server-name": "api.garden", "certificate-authority-data": "Q0E=",
			}}},
			"contexts": []any{map[string]any{"name": "garden", "context": map[string]any{"cluster": "garden", "user": "extension"}}},
			"users":    []any{map[string]any{"name": "extension", "user": map[string]any{"tokenFile": gardenDirectory + "/token"}}},
		}
		if _, has := got["preferences"]; !has {
			delete(want, "preferences")
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}
