package watchdog

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

const (
	// ignoreScaling is the annotation by which operators keep the prober from a Deployment.
	ignoreScaling = "dependency-watchdog.gardener.cloud/ignore-scaling"
)

// stopped are the Deployments that act on nodes, in the order in which they are stopped. They are started again in reverse order.
var stopped = []string{
	constants.DeploymentNameClusterAutoscaler, constants.DeploymentNameMachineControllerManager, constants.DeploymentNameKubeControllerManager,
}

const (
	// fewest is the number of nodes from which on their majority says something about the API server. A single node may fail by itself.
	fewest = 2
	// percent of the nodes must be cut off.
	percent = 60
	// failures is how often in a row the nodes must be found cut off before controllers are stopped. After a restart of the landscape
	// kubelets need some seconds.
	failures = 3
	// usualLease is the validity of a lease that does not name one.
	usualLease = 40 * time.Second
)

// cutOff reports whether too many kubelets have not renewed the leases of their nodes.
func cutOff(leases []coordinationv1.Lease, now time.Time) bool {
	expired := 0
	for i := range leases {
		spec := &leases[i].Spec
		validity := usualLease
		if spec.LeaseDurationSeconds != nil {
			validity = time.Duration(*spec.LeaseDurationSeconds) * time.Second
		}
		if spec.RenewTime == nil || now.After(spec.RenewTime.Add(validity)) {
			expired++
		}
	}
	return len(leases) >= fewest && 100*expired >= percent*len(leases)
}

// scaling is a change of the replicas of a Deployment.
type scaling struct {
	name string
	// replicas is the number to set. Nil leaves it, and only forgets the former number.
	replicas *int32
	// former is the number to remember; nil forgets the one that is known.
	former *int32
}

// stops returns how to stop the Deployments that run.
func stops(deployments map[string]*appsv1.Deployment) (out []scaling) {
	for _, name := range stopped {
		deployment := deployments[name]
		if deployment == nil || deployment.Annotations[ignoreScaling] == "true" {
			continue
		}
		if replicas := ptr.Deref(deployment.Spec.Replicas, 1); replicas > 0 {
			out = append(out, scaling{name: name, replicas: ptr.To[int32](0), former: ptr.To(replicas)})
		}
	}
	return out
}

// starts returns how to start the Deployments again that were stopped. Something else may have started them before.
func starts(deployments map[string]*appsv1.Deployment) (out []scaling) {
	for i := len(stopped) - 1; i >= 0; i-- {
		deployment := deployments[stopped[i]]
		if deployment == nil || deployment.Annotations[ignoreScaling] == "true" {
			continue
		}
		former, ok := formerReplicas(deployment)
		switch {
		case !ok:
		case ptr.Deref(deployment.Spec.Replicas, 1) > 0:
			out = append(out, scaling{name: deployment.Name})
		default:
			out = append(out, scaling{name: deployment.Name, replicas: ptr.To(former)})
		}
	}
	return out
}
