package kubeapiserver

import (
	"fmt"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/metricsserver"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/oidcwebhook"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/pod"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/resourcemanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// guardHosts are the Services of the seed that the server calls for Gardener's own objects in the shoot: webhooks of the
// resource manager and of extensions, and aggregated servers. Users of the shoot may call them as well, but no other port of
// their pods.
func guardHosts(v Values) []string {
	var out []string
	for _, service := range []struct {
		name string
		port int
	}{{v.Prefix + resourcemanager.Name, pod.WebhookPort}, {metricsserver.Name, metricsserver.Port}, {verticalpodautoscaler.Service, pod.WebhookPort}, {oidcwebhook.Name, oidcwebhook.Port}} {
		name := service.name + "." + v.Namespace + ".svc"
		out = append(out, fmt.Sprintf("%s:%d", name, service.port), fmt.Sprintf("%s.%s:%d", name, names.ClusterDomain, service.port))
	}
	extensions := "*." + constants.ExtensionNamespacePrefix + "*.svc"
	return append(out, extensions, extensions+"."+names.ClusterDomain)
}
