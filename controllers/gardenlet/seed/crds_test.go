package seed_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/seed"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/health"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
	"github.com/gardener-up/gardener-up/embedded/testenv"
)

func TestInstallCRDs(t *testing.T) {
	env, err := testenv.Start(testenv.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer env.Stop()
	scheme := runtime.NewScheme()
	if err := install.AddSeed(scheme); err != nil {
		t.Fatal(err)
	}
	cluster, err := client.New(env.Config, client.Options{Scheme: scheme})
	if err != nil {
		t.Fatal(err)
	}
	versions := func() map[string]string {
		t.Helper()
		if err := seed.InstallCRDs(context.Background(), cluster); err != nil {
			t.Fatal(err)
		}
		list := &apiextensionsv1.CustomResourceDefinitionList{}
		if err := cluster.List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
		result := map[string]string{}
		for i := range list.Items {
			if err := health.CustomResourceDefinition(&list.Items[i]); err != nil {
				t.Errorf("%s: %v", list.Items[i].Name, err)
			}
			result[list.Items[i].Name] = list.Items[i].ResourceVersion
		}
		return result
	}

	first := versions()
	t.Run("GLT-14 EXT-6 all kinds of a seed are served", func(t *testing.T) {
		for _, name := range []string{
			"backupbuckets.extensions.gardener.cloud", "workers.extensions.gardener.cloud", "clusters.extensions.gardener.cloud",
			"etcds.druid.gardener.cloud", "machines.machine.sapcloud.io", "managedresources.resources.gardener.cloud",
			"virtualservices.networking.istio.io",
		} {
			if first[name] == "" {
				t.Errorf("%s is missing among %d", name, len(first))
			}
		}
	})
	t.Run("a second time nothing is written", func(t *testing.T) {
		if diff := cmp.Diff(first, versions()); diff != "" {
			t.Errorf("resource versions (-first +second):\n%s", diff)
		}
	})
	t.Run("an outdated definition is replaced", func(t *testing.T) {
		const name = "workers.extensions.gardener.cloud"
		crd := &apiextensionsv1.CustomResourceDefinition{}
		crd.Name = name
		outdated := `{"metadata":{"annotations":{"checksum/definition":"old"}},"spec":{"names":{"shortNames":["outdated"]}}}`
		if err := cluster.Patch(t.Context(), crd, client.RawPatch("application/merge-patch+json", []byte(outdated))); err != nil {
			t.Fatal(err)
		}
		versions()
		if err := cluster.Get(t.Context(), client.ObjectKey{Name: name}, crd); err != nil {
			t.Fatal(err)
		}
		for _, short := range crd.Spec.Names.ShortNames {
			if short == "outdated" {
				t.Errorf("short names = %v", crd.Spec.Names.ShortNames)
			}
		}
	})
}

func TestAllocatable(t *testing.T) {
	list := func(shoots, volumes string) corev1.ResourceList {
		return corev1.ResourceList{"shoots": resource.MustParse(shoots), "persistent-volumes": resource.MustParse(volumes)}
	}
	got := seed.Resources{Capacity: list("100", "200"), Reserved: corev1.ResourceList{"persistent-volumes": resource.MustParse("3")}}.Allocatable()
	for name, want := range map[corev1.ResourceName]string{"shoots": "100", "persistent-volumes": "197"} {
		if quantity := got[name]; quantity.String() != want {
			t.Errorf("GLT-16 allocatable %s = %s, want %s", name, quantity.String(), want)
		}
	}
}
