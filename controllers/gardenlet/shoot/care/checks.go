package care

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/availability"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/health"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/watchdog"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/pages"
)

// apiServer checks the health endpoint of the API server.
func (c *shootCluster) apiServer(ctx context.Context) conditions.Finding {
	code, body, err := health.Get(ctx, c.config, "/healthz")
	switch {
	case err != nil:
		return conditions.False("HealthzRequestFailed", fmt.Sprintf("Request to API server /healthz endpoint failed: %v", err))
	case code != http.StatusOK:
		return conditions.False("HealthzRequestError", fmt.Sprintf("API server /healthz endpoint check returned a non ok status code %d: %.200s", code, body))
	}
	return conditions.True("HealthzRequestSucceeded", "API server /healthz endpoint responded with success status code.")
}

// ControlPlane checks that all components of the control plane exist and are healthy. A healthy one may survive less than its Shoot
// demands, which only the message says.
func ControlPlane(o *objects, available availability.Setting, workerless bool) conditions.Finding {
	wanted := []string{
		constants.DeploymentNameKubeAPIServer, constants.DeploymentNameKubeControllerManager, constants.DeploymentNameGardenerResourceManager,
	}
	if !workerless {
		wanted = append(wanted, constants.DeploymentNameKubeScheduler, constants.DeploymentNameMachineControllerManager)
	}
	for _, name := range wanted {
		if !slices.ContainsFunc(o.deployments, func(d appsv1.Deployment) bool { return d.Name == name }) {
			return conditions.False("DeploymentMissing", "Missing required deployments: ["+name+"]")
		}
	}
	for i := range o.deployments {
		deployment := &o.deployments[i]
		if deployment.Labels[constants.GardenRole] != constants.GardenRoleControlPlane {
			continue
		}
		if watchdog.Stopped(deployment) {
			return conditions.False("DeploymentStopped", fmt.Sprintf("Deployment %q is stopped until the nodes renew their leases: most kubelets do not reach the API server", deployment.Name))
		}
		if err := health.Available(deployment); err != nil {
			return conditions.False("DeploymentUnhealthy", fmt.Sprintf("Deployment %q is unhealthy: %v", deployment.Name, err))
		}
	}
	for _, name := range []string{constants.ETCDMain, constants.ETCDEvents} {
		if !slices.ContainsFunc(o.etcds, func(e druidv1alpha1.Etcd) bool { return e.Name == name }) {
			return conditions.False("EtcdMissing", "Missing required etcds: ["+name+"]")
		}
	}
	for i := range o.etcds {
		if err := health.Etcd(&o.etcds[i]); err != nil {
			return conditions.False("EtcdUnhealthy", fmt.Sprintf("Etcd extension resource %q is unhealthy: %v", o.etcds[i].Name, err))
		}
		if failing, message := backupsFail(&o.etcds[i]); failing {
			return conditions.False("EtcdUnhealthy", fmt.Sprintf("Backups of etcd %q fail: %s", o.etcds[i].Name, message))
		}
	}
	return conditions.True("ControlPlaneRunning", strings.TrimSpace("All control plane components are healthy. "+available.Shortfall()))
}

// backupsFail reports whether an etcd should have recent backups and has none, and why.
func backupsFail(e *druidv1alpha1.Etcd) (bool, string) {
	for _, condition := range e.Status.Conditions {
		if condition.Type == druidv1alpha1.ConditionTypeBackupReady {
			return condition.Status == druidv1alpha1.ConditionFalse, condition.Message
		}
	}
	return false, ""
}

func (c *shootCluster) nodes(ctx context.Context, shoot *gardencorev1beta1.Shoot, o *objects, now time.Time) conditions.Finding {
	count := 0
	for page, err := range pages.Of(ctx, c.client, &corev1.NodeList{}, health.MostNodes) {
		if many := (*pages.TooMany)(nil); errors.As(err, &many) {
			return conditions.False("TooManyNodes", fmt.Sprintf("The health of the nodes is unknown: %v, for example Nodes without a machine.", err))
		}
		if err != nil {
			return conditions.Unknown("NodeListError", fmt.Sprintf("Could not list nodes: %v", err))
		}
		if finding, ok := healthy(shoot, page.Items); !ok {
			return finding
		}
		count += len(page.Items)
	}
	finding := enough(count, o.workers)
	if finding.Status != gardencorev1beta1.ConditionTrue {
		return finding
	}
	outdated, err := health.Lag{Now: now, Except: health.UpdatedInPlace(shoot)}.Nodes(ctx, c.client)
	switch {
	case err != nil:
		return conditions.Unknown("OperatingSystemConfigUnknown", fmt.Sprintf("Could not compare the nodes with their configuration: %v", err))
	case len(outdated) > 0:
		return conditions.False("OperatingSystemConfigOutdated", fmt.Sprintf("The last successfully applied operating system config on node %q is outdated (%d nodes in all)", outdated[0], len(outdated)))
	}
	return finding
}

// healthy checks that nodes are healthy and have the right version.
func healthy(shoot *gardencorev1beta1.Shoot, nodes []corev1.Node) (conditions.Finding, bool) {
	for i := range nodes {
		if finding, ok := node(shoot, &nodes[i]); !ok {
			return finding, false
		}
	}
	return conditions.Finding{}, true
}

// enough checks that there are as many healthy nodes as are wanted at least.
func enough(count int, workers []extensionsv1alpha1.Worker) conditions.Finding {
	wanted := int32(0)
	for _, worker := range workers {
		for _, deployment := range worker.Status.MachineDeployments {
			wanted += deployment.Minimum
		}
	}
	if int32(count) < wanted {
		return conditions.False("MissingNodes", fmt.Sprintf("Not enough worker nodes registered in the cluster: %d/%d", count, wanted))
	}
	return conditions.True("EveryNodeReady", "All nodes are ready.")
}

func node(shoot *gardencorev1beta1.Shoot, node *corev1.Node) (conditions.Finding, bool) {
	ready := corev1.ConditionUnknown
	for _, condition := range node.Status.Conditions {
		switch {
		case condition.Type == corev1.NodeReady:
			ready = condition.Status
		case isPressure(condition.Type) && condition.Status == corev1.ConditionTrue:
			return conditions.False("NodeUnhealthy", fmt.Sprintf("Node %q in worker group %q is unhealthy: condition %s is True: %.200s", node.Name, pool(node), condition.Type, condition.Message)), false
		}
	}
	if ready != corev1.ConditionTrue {
		return conditions.False("NodeUnhealthy", fmt.Sprintf("Node %q in worker group %q is unhealthy: condition Ready is %s", node.Name, pool(node), ready)), false
	}
	if want, got := versionOf(shoot, pool(node)), strings.TrimPrefix(node.Status.NodeInfo.KubeletVersion, "v"); !sameVersion(want, got) {
		return conditions.False("KubeletVersionMismatch", fmt.Sprintf("The kubelet version for node %q (v%s) does not match the desired Kubernetes version (v%s)", node.Name, got, want)), false
	}
	return conditions.Finding{}, true
}

func isPressure(kind corev1.NodeConditionType) bool {
	return kind == corev1.NodeDiskPressure || kind == corev1.NodePIDPressure || kind == corev1.NodeNetworkUnavailable
}

func pool(node *corev1.Node) string { return node.Labels[constants.LabelWorkerPool] }

func versionOf(shoot *gardencorev1beta1.Shoot, pool string) string {
	for _, worker := range shoot.Spec.Provider.Workers {
		if worker.Name == pool && worker.Kubernetes != nil && worker.Kubernetes.Version != nil {
			return *worker.Kubernetes.Version
		}
	}
	return shoot.Spec.Kubernetes.Version
}

// sameVersion compares versions without build metadata.
func sameVersion(want, got string) bool {
	got, _, _ = strings.Cut(got, "+")
	return got == want
}

func (c *shootCluster) systemComponents(ctx context.Context, o *objects, workerless bool) conditions.Finding {
	for i := range o.resources {
		if class := o.resources[i].Spec.Class; class != nil && *class != "" {
			continue // it belongs to another cluster than the shoot
		}
		if reason, message := health.ManagedResource(&o.resources[i]); reason != "" {
			return conditions.False(reason, message)
		}
	}
	if !workerless {
		if err := health.Tunnel(ctx, c.client, c.config); err != nil {
			return conditions.False("TunnelConnectionBroken", fmt.Sprintf("Tunnel connection has not been established: %v (%s)", err, health.TunnelAdvice(ctx, c.client, o.deployments)))
		}
	}
	return conditions.True("SystemComponentsRunning", "All system components are healthy.")
}

// Extensions returns the findings in the conditions that extensions report. Healthy reports are left out, since they
// change nothing. Outdated reports count as Unknown.
func Extensions(all []extensionsv1alpha1.Object, stale time.Duration, now time.Time) map[gardencorev1beta1.ConditionType]conditions.Finding {
	out := map[gardencorev1beta1.ConditionType]conditions.Finding{}
	for _, object := range all {
		kind := strings.TrimPrefix(fmt.Sprintf("%T", object), "*v1alpha1.")
		for _, condition := range object.GetExtensionStatus().GetConditions() {
			old := stale > 0 && now.Sub(condition.LastUpdateTime.Time) > stale
			switch {
			case condition.Type != ControlPlaneHealthy && condition.Type != EveryNodeReady && condition.Type != SystemComponentsHealthy:
			case old:
				if _, worse := out[condition.Type]; !worse {
					out[condition.Type] = conditions.Unknown(kind+"OutdatedHealthCheckReport",
						fmt.Sprintf("%s extension (%s/%s) reports an outdated health status (last updated: %s ago).", kind, object.GetNamespace(), object.GetName(), now.Sub(condition.LastUpdateTime.Time).Round(time.Second)))
				}
			case condition.Status == gardencorev1beta1.ConditionFalse:
				out[condition.Type] = conditions.False(kind+"UnhealthyReport",
					fmt.Sprintf("%s extension (%s/%s) reports failing health check: %s", kind, object.GetNamespace(), object.GetName(), condition.Message), condition.Codes...)
			}
		}
	}
	return out
}
