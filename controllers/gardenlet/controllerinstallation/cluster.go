package controllerinstallation

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/controllerinstallation/chart"
)

// clusterOf asks the seed what charts may ask about it. The versions whose server does not answer are told apart from those that do not exist.
func clusterOf(seed discovery.DiscoveryInterface) (chart.Cluster, error) {
	version, err := seed.ServerVersion()
	if err != nil {
		return chart.Cluster{}, fmt.Errorf("ask seed for its version: %w", err)
	}
	_, lists, err := seed.ServerGroupsAndResources()
	var silent []string
	if failed := (*discovery.ErrGroupDiscoveryFailed)(nil); errors.As(err, &failed) {
		for version := range failed.Groups {
			silent = append(silent, version.String())
		}
		slices.Sort(silent)
	} else if err != nil {
		return chart.Cluster{}, fmt.Errorf("ask seed for its kinds: %w", err)
	}
	scopes, apis := map[schema.GroupVersionKind]bool{}, []string{}
	for _, list := range lists {
		group, err := schema.ParseGroupVersion(list.GroupVersion)
		if err != nil {
			continue
		}
		apis = append(apis, list.GroupVersion)
		for _, resource := range list.APIResources {
			scopes[group.WithKind(resource.Kind)] = resource.Namespaced
			apis = append(apis, list.GroupVersion+"/"+resource.Kind)
		}
	}
	slices.Sort(apis)
	return chart.Cluster{
		Version: version.GitVersion, APIs: slices.Compact(apis), Silent: silent,
		Namespaced: func(kind schema.GroupVersionKind) (namespaced, known bool) {
			namespaced, known = scopes[kind]
			return namespaced, known
		},
	}, nil
}
