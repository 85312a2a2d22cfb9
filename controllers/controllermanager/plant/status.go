package plant

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// unknown is the value of status fields that the cluster does not report.
const unknown = "<unknown>"

// Status is the next status of a Plant. The cluster information keeps its last known values while the cluster does not
// report it.
func (o Observation) Status(plant *gardencorev1beta1.Plant, now time.Time) gardencorev1beta1.PlantStatus {
	status := *plant.Status.DeepCopy()
	generation := plant.Generation
	status.ObservedGeneration = &generation
	server, nodes := o.findings()
	status.Conditions = conditions.Set(status.Conditions, gardencorev1beta1.PlantAPIServerAvailable, server, now)
	status.Conditions = conditions.Set(status.Conditions, gardencorev1beta1.PlantEveryNodeReady, nodes, now)
	if info := o.clusterInfo(); info != nil {
		if old := status.ClusterInfo; old != nil && info.Cloud.Type == unknown && info.Cloud.Region == unknown {
			info.Cloud = old.Cloud // the nodes are gone, but the cloud is the same
		}
		status.ClusterInfo = info
	}
	return status
}

func (o Observation) findings() (server, nodes conditions.Finding) {
	switch {
	case o.Unusable != nil:
		cause := conditions.Unknown("KubeconfigUnusable", "The cluster cannot be reached: "+o.Unusable.Error()+".")
		return cause, cause
	case o.Down != nil:
		return conditions.False("HealthzRequestFailed", "Request to API server /healthz endpoint failed: "+o.Down.Error()),
			conditions.Unknown("APIServerDown", "Nodes cannot be listed while the API server does not answer.")
	case o.Health != http.StatusOK:
		return conditions.False("HealthzRequestError", fmt.Sprintf("API server /healthz endpoint answered with status %d.", o.Health)),
			conditions.Unknown("APIServerDown", "Nodes cannot be listed while the API server is not healthy.")
	}
	return conditions.True("HealthzRequestSucceeded", "API server /healthz endpoint responded with success status code."), o.everyNodeReady()
}

func (o Observation) everyNodeReady() conditions.Finding {
	if o.NodesErr != nil {
		return conditions.Unknown("ListNodesFailed", "Nodes cannot be listed: "+o.NodesErr.Error())
	}
	if len(o.Nodes) == 0 {
		return conditions.True("EveryNodeReady", "The cluster has no nodes.")
	}
	var bad []string
	for i := range o.Nodes {
		if !isReady(&o.Nodes[i]) {
			bad = append(bad, o.Nodes[i].Name)
		}
	}
	if len(bad) > 0 {
		slices.Sort(bad)
		return conditions.False("NodeUnhealthy", fmt.Sprintf("%d of %d nodes are not ready: %s.", len(bad), len(o.Nodes), shortened(bad)))
	}
	return conditions.True("EveryNodeReady", "Every node registered to the cluster is ready.")
}

// shortened lists only a few names, since people read conditions.
func shortened(names []string) string {
	const most = 10
	if len(names) > most {
		names = append(slices.Clone(names[:most]), "…")
	}
	return strings.Join(names, ", ")
}

func isReady(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// clusterInfo is nil unless the cluster reported its version. Cloud and region come from the first node that reports
// them.
func (o Observation) clusterInfo() *gardencorev1beta1.PlantClusterInfo {
	if o.Version == nil {
		return nil
	}
	info := &gardencorev1beta1.PlantClusterInfo{
		Cloud:      gardencorev1beta1.PlantCloudInfo{Type: unknown, Region: unknown},
		Kubernetes: gardencorev1beta1.PlantKubernetesInfo{Version: strings.TrimPrefix(o.Version.GitVersion, "v")},
	}
	for i := range o.Nodes {
		node := &o.Nodes[i]
		if cloud, _, found := strings.Cut(node.Spec.ProviderID, "://"); found && info.Cloud.Type == unknown {
			info.Cloud.Type = cloud
		}
		for _, label := range []string{corev1.LabelTopologyRegion, corev1.LabelFailureDomainBetaRegion} {
			if region := node.Labels[label]; region != "" && info.Cloud.Region == unknown {
				info.Cloud.Region = region
			}
		}
	}
	return info
}
