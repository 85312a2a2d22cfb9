package integration

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	corev1v1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func replaceAll(text string, pairs ...string) string {
	return strings.NewReplacer(pairs...).Replace(text)
}

func get(t *testing.T, path string, accept string, params ...string) []byte {
	t.Helper()
	c, err := kubernetes.NewForConfig(garden.Config)
	if err != nil {
		t.Fatal(err)
	}
	request := c.Discovery().RESTClient().Get().AbsPath(path).SetHeader("Accept", accept)
	for i := 0; i < len(params); i += 2 {
		request = request.Param(params[i], params[i+1])
	}
	body, err := request.DoRaw(t.Context())
	if err != nil {
		t.Fatalf("GET %s: %v: %s", path, err, body)
	}
	return body
}

func TestDiscovery(t *testing.T) {
	c, err := discovery.NewDiscoveryClientForConfig(garden.Config)
	if err != nil {
		t.Fatal(err)
	}
	list, err := c.ServerResourcesForGroupVersion("core.gardener.cloud/v1beta1")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]metav1.APIResource{}
	for _, r := range list.APIResources {
		found[r.Name] = r
	}
	t.Run("API-1 names, scopes and categories", func(t *testing.T) {
		for name, want := range map[string]metav1.APIResource{
			"shoots":                  {SingularName: "shoot", Namespaced: true, Categories: []string{"all"}},
			"seeds":                   {SingularName: "seed"},
			"projects":                {SingularName: "project"},
			"cloudprofiles":           {SingularName: "cloudprofile", ShortNames: []string{"cprofile", "cpfl"}},
			"secretbindings":          {SingularName: "secretbinding", Namespaced: true, ShortNames: []string{"sb"}},
			"controllerdeployments":   {SingularName: "controllerdeployment", ShortNames: []string{"ctrldeploy"}, Categories: []string{"all"}},
			"controllerinstallations": {SingularName: "controllerinstallation", ShortNames: []string{"ctrlinst"}, Categories: []string{"all"}},
			"backupentries":           {SingularName: "backupentry", Namespaced: true, ShortNames: []string{"bec"}, Categories: []string{"all"}},
		} {
			got := metav1.APIResource{SingularName: found[name].SingularName, Namespaced: found[name].Namespaced, ShortNames: found[name].ShortNames, Categories: found[name].Categories}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	})
	t.Run("API-40 the group of old is not served", func(t *testing.T) {
		groups, err := c.ServerGroups()
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range groups.Groups {
			if strings.Contains(group.Name, "sapcloud.io") {
				t.Errorf("%s is served", group.Name)
			}
		}
		body := []byte(`{"apiVersion":"garden.sapcloud.io/v1beta1","kind":"Shoot","metadata":{"name":"old"}}`)
		if status, answer := send(t, garden.Config, "POST", "/apis/core.gardener.cloud/v1beta1/namespaces/default/shoots", "application/json", body); status != 400 {
			t.Errorf("its objects are answered by %d with %.200s", status, answer)
		}
	})
	t.Run("subresources", func(t *testing.T) {
		for _, name := range []string{"shoots/status", "shoots/binding", "shoots/adminkubeconfig", "shoots/viewerkubeconfig", "seeds/status", "projects/status", "backupbuckets/status"} {
			if _, ok := found[name]; !ok {
				t.Errorf("%s is missing", name)
			}
		}
		if r := found["shoots/adminkubeconfig"]; r.Group != "authentication.gardener.cloud" || r.Kind != "AdminKubeconfigRequest" || !slices.Equal(r.Verbs, []string{"create"}) {
			t.Errorf("AKC-1 shoots/adminkubeconfig is %+v", r)
		}
	})
}

func TestTable(t *testing.T) {
	s := shoot(t)
	merge(t, s, `{"metadata":{"labels":{"shoot.gardener.cloud/status":"healthy"}}}`)
	merge(t, s, `{"status":{"lastOperation":{"type":"Create","state":"Processing","progress":42,"description":"d","lastUpdateTime":"2024-01-01T00:00:00Z"}}}`, "status")
	var table metav1.Table
	body := get(t, "/apis/core.gardener.cloud/v1beta1/namespaces/"+s.Namespace+"/shoots", "application/json;as=Table;v=v1;g=meta.k8s.io")
	if err := json.Unmarshal(body, &table); err != nil {
		t.Fatal(err)
	}
	cells := map[string]any{}
	var wide []string
	for i, column := range table.ColumnDefinitions {
		cells[column.Name] = table.Rows[0].Cells[i]
		if column.Priority > 0 {
			wide = append(wide, column.Name)
		}
	}
	for column, want := range map[string]string{
		"Name": s.Name, "Provider": "local", "Region": "local", "Seed": "<none>", "K8S Version": "1.36.3", "Hibernation": "Awake",
		"Last Operation": "Create Processing (42%)", "Status": "healthy", "APIServer": "<unknown>",
	} {
		if cells[column] != want {
			t.Errorf("%s is %v, want %s", column, cells[column], want)
		}
	}
	if diff := cmp.Diff([]string{"Seed", "Purpose", "Gardener Version", "APIServer", "Control", "Observability", "Nodes", "System"}, wide); diff != "" {
		t.Errorf("wide columns (-want +got):\n%s", diff)
	}
}

func TestFieldSelectors(t *testing.T) {
	c, target, bound := admin(t), seed(t), shoot(t)
	shoot(t)
	merge(t, bound, `{"spec":{"seedName":"`+target.Name+`"}}`, "binding")
	var list core.ShootList
	if err := c.List(t.Context(), &list, client.MatchingFields{"spec.seedName": target.Name}); err != nil {
		t.Fatal(err)
	}
	if len(list.Items) != 1 || list.Items[0].Name != bound.Name {
		t.Errorf("got %d shoots", len(list.Items))
	}
	err := c.List(t.Context(), &list, client.MatchingFields{"spec.region": "local"})
	wantStatus(t, err, 400, "spec.region")
}

func TestOpenAPI(t *testing.T) {
	t.Run("published names have no hub version", func(t *testing.T) {
		body := get(t, "/openapi/v3/apis/core.gardener.cloud/v1beta1", "application/json")
		var document struct {
			Components struct {
				Schemas map[string]struct {
					Kinds []metav1.GroupVersionKind `json:"x-kubernetes-group-version-kind"`
				}
			}
		}
		if err := json.Unmarshal(body, &document); err != nil {
			t.Fatal(err)
		}
		schema, ok := document.Components.Schemas["com.github.gardener.gardener.pkg.apis.core.v1beta1.Shoot"]
		if !ok {
			t.Fatal("no schema of Shoot")
		}
		want := []metav1.GroupVersionKind{{Group: "core.gardener.cloud", Version: "v1beta1", Kind: "Shoot"}}
		if diff := cmp.Diff(want, schema.Kinds); diff != "" {
			t.Errorf("kinds (-want +got):\n%s", diff)
		}
	})
	t.Run("version 2 has the same names", func(t *testing.T) {
		if body := string(direct(t, "/openapi/v2")); !strings.Contains(body, `"com.github.gardener.gardener.pkg.apis.core.v1beta1.ShootSpec"`) || strings.Contains(body, runtime.APIVersionInternal) {
			t.Error("no ShootSpec, or a hub version, in the document")
		}
	})
}

// direct asks the Gardener API server itself.
func direct(t *testing.T, path string) []byte {
	t.Helper()
	c, err := kubernetes.NewForConfig(garden.Direct)
	if err != nil {
		t.Fatal(err)
	}
	body, err := c.Discovery().RESTClient().Get().AbsPath(path).DoRaw(t.Context())
	if err != nil {
		t.Fatalf("GET %s: %v", path, err)
	}
	return body
}

func TestControllerDeploymentVersions(t *testing.T) {
	c, ctx := admin(t), t.Context()
	old := create(t, &core.ControllerDeployment{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "cd-"}, Type: "helm",
		ProviderConfig: runtime.RawExtension{Raw: []byte(`{"chart":"Y2hhcnQ=","values":{"a":1}}`)},
	})
	var v1 corev1v1.ControllerDeployment
	if err := c.Get(ctx, client.ObjectKeyFromObject(old), &v1); err != nil {
		t.Fatal(err)
	}
	if v1.Helm == nil || string(v1.Helm.RawChart) != "chart" || string(v1.Helm.Values.Raw) != `{"a":1}` {
		t.Fatalf("v1 is %+v", v1)
	}
	v1.Helm.RawChart = []byte("other")
	if err := c.Update(ctx, &v1); err != nil {
		t.Fatal(err)
	}
	if err := c.Get(ctx, client.ObjectKeyFromObject(old), old); err != nil {
		t.Fatal(err)
	}
	if old.Generation != 2 || !strings.Contains(string(old.ProviderConfig.Raw), "b3RoZXI=") {
		t.Errorf("v1beta1 has generation %d and %s", old.Generation, old.ProviderConfig.Raw)
	}
}

func TestWatch(t *testing.T) {
	c, err := client.NewWithWatch(garden.Config, client.Options{Scheme: admin(t).Scheme()})
	if err != nil {
		t.Fatal(err)
	}
	s := shoot(t)
	watch, err := c.Watch(t.Context(), &core.ShootList{}, client.InNamespace(s.Namespace))
	if err != nil {
		t.Fatal(err)
	}
	defer watch.Stop()
	event := <-watch.ResultChan()
	if got, ok := event.Object.(*core.Shoot); !ok || got.Name != s.Name {
		t.Errorf("got event %v: %v", event.Type, apierrors.FromObject(event.Object))
	}
}
