package integration

import (
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/discovery"
)

// resources are what clients discover, a line each: group/version, name, kind; and for those that are no subresources:
// singular, scope, short names and categories.
//
//go:embed testdata/resources.txt
var resources string

func TestResources(t *testing.T) {
	client, err := discovery.NewDiscoveryClientForConfig(garden.Config)
	if err != nil {
		t.Fatal(err)
	}
	_, lists, err := client.ServerGroupsAndResources()
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, list := range lists {
		if !strings.Contains(list.GroupVersion, ".gardener.cloud/") {
			continue
		}
		for _, resource := range list.APIResources {
			got = append(got, describe(list.GroupVersion, resource))
			if verbs := "[create delete deletecollection get list patch update watch]"; !strings.Contains(resource.Name, "/") && fmt.Sprint(resource.Verbs) != verbs {
				t.Errorf("API-1 %s has verbs %s", resource.Name, resource.Verbs)
			}
		}
	}
	slices.Sort(got)
	want := strings.Split(strings.TrimSpace(resources), "\n")
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("API-1 resources (-want +got):\n%s", diff)
	}
}

func describe(version string, r metav1.APIResource) string {
	if strings.Contains(r.Name, "/") {
		return strings.Join([]string{version, r.Name, r.Kind}, " ")
	}
	scope := "cluster"
	if r.Namespaced {
		scope = "namespaced"
	}
	return strings.Join([]string{version, r.Name, r.Kind, r.SingularName, scope,
		"short=" + strings.Join(r.ShortNames, ","), "categories=" + strings.Join(r.Categories, ",")}, " ")
}
