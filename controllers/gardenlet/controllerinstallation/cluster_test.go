package controllerinstallation

import (
	"errors"
	"slices"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/discovery"
)

// seedAPIs is a seed that answers with these kinds and this error.
type seedAPIs struct {
	discovery.DiscoveryInterface
	lists []*metav1.APIResourceList
	err   error
}

func (seedAPIs) ServerVersion() (*version.Info, error) {
	return &version.Info{GitVersion: "v1.30.1"}, nil
}

func (s seedAPIs) ServerGroupsAndResources() ([]*metav1.APIGroup, []*metav1.APIResourceList, error) {
	return nil, s.lists, s.err
}

func TestClusterOf(t *testing.T) {
	apps := []*metav1.APIResourceList{{GroupVersion: "apps/v1", APIResources: []metav1.APIResource{{Kind: "Deployment", Namespaced: true}}}}
	t.Run("GLT-22 a version whose server does not answer is no version that does not exist", func(t *testing.T) {
		metrics := schema.GroupVersion{Group: "metrics.k8s.io", Version: "v1beta1"}
		failed := &discovery.ErrGroupDiscoveryFailed{Groups: map[schema.GroupVersion]error{metrics: errors.New("down")}}
		cluster, err := clusterOf(seedAPIs{lists: apps, err: failed})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(cluster.APIs, []string{"apps/v1", "apps/v1/Deployment"}) || !slices.Equal(cluster.Silent, []string{"metrics.k8s.io/v1beta1"}) {
			t.Errorf("served are %v, silent are %v", cluster.APIs, cluster.Silent)
		}
	})
	t.Run("GLT-22 a seed that tells nothing is an error", func(t *testing.T) {
		if cluster, err := clusterOf(seedAPIs{lists: apps, err: errors.New("down")}); err == nil {
			t.Errorf("got %v", cluster.APIs)
		}
	})
}
