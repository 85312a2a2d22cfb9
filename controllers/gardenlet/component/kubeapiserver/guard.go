package kubeapiserver

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/metricsserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// guardHosts are the Services of the seed that the server calls for Gardener's own objects in the shoot: webhooks of the
// resource manager and of extensions, and aggregated servers. Users of the shoot may call them as well.
func guardHosts(namespace string) []string {
	var out []string
	for _, service := range []string{resourcemanager.Name, metricsserver.Name, verticalpodautoscaler.Service} {
		name := service + "." + namespace + ".svc"
		out = append(out, name, name+"."+names.ClusterDomain)
	}
	extensions := "*." + constants.ExtensionNamespacePrefix + "*.svc"
	return append(out, extensions, extensions+"."+names.ClusterDomain)
}
