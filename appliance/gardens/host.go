package gardens

import (
	"context"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
)

// Parts are the names of the parts of the process that are components of a Garden.
type Parts struct {
	ETCD, APIServer, Controllers, GardenerAPIServer, GardenerAPI     string
	ControllerManager, Scheduler, AdmissionController, SeedOperators string
	FrontDoor, Metrics                                               string
}

// Reasons why the process does not run a component.
const (
	noEvents     = "events are in virtual-garden-etcd-main"
	noMonitoring = "landscape-metrics serves the metrics of all components, and nothing stores those of the garden, or logs"
	noScaling    = "processes are not scaled vertically"
	noIngress    = "the front door routes by server name"
)

// Components returns the components of a Garden. ready returns a function that asks a part. resourceManager is that of the runtime cluster if it is
// not part of this process; else nil.
func Components(parts Parts, ready func(part string) func(context.Context) error, resourceManager *host.Component) []host.Component {
	run := func(group host.Group, stage host.Stage, name, part string) host.Component {
		return host.Component{Name: name, Group: group, Stage: stage, Serves: ready(part)}
	}
	components := []host.Component{
		run(host.Runtime, host.ResourceManager, "gardener-resource-manager", parts.SeedOperators),
		run(host.Runtime, host.SystemComponents, "etcd-druid", parts.SeedOperators),
		run(host.Virtual, host.ETCD, "virtual-garden-etcd-main", parts.ETCD),
		run(host.Virtual, host.VirtualGarden, "virtual-garden-kube-apiserver", parts.APIServer),
		run(host.Virtual, host.VirtualGarden, "virtual-garden-kube-controller-manager", parts.Controllers),
		run(host.Virtual, host.VirtualGarden, "virtual-garden-gardener-resource-manager", parts.SeedOperators),
		run(host.Runtime, host.VirtualGarden, "front-door", parts.FrontDoor),
		run(host.Virtual, host.ControlPlane, "gardener-apiserver", parts.GardenerAPIServer),
		run(host.Virtual, host.ControlPlane, "gardener-apiserver-registration", parts.GardenerAPI),
		run(host.Virtual, host.ControlPlane, "gardener-admission-controller", parts.AdmissionController),
		run(host.Virtual, host.ControlPlane, "gardener-controller-manager", parts.ControllerManager),
		run(host.Virtual, host.ControlPlane, "gardener-scheduler", parts.Scheduler),
		run(host.Observability, host.Monitoring, "landscape-metrics", parts.Metrics),
	}
	if resourceManager != nil {
		components[0] = *resourceManager
	}
	absent := func(group host.Group, stage host.Stage, reason string, names ...string) {
		for _, name := range names {
			components = append(components, host.Component{Name: name, Group: group, Stage: stage, Absent: reason})
		}
	}
	absent(host.Virtual, host.ETCD, noEvents, "virtual-garden-etcd-events")
	absent(host.Runtime, host.SystemComponents, noScaling, "hvpa-controller", "vpa-admission-controller", "vpa-recommender", "vpa-updater")
	absent(host.Runtime, host.SystemComponents, noIngress, "istio", "nginx-ingress-controller")
	absent(host.Observability, host.Monitoring, noMonitoring,
		"fluent-bit", "fluent-operator", "gardener-metrics-exporter", "kube-state-metrics", "plutono", "prometheus", "vali")
	return components
}
