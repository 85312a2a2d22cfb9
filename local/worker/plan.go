package worker

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/intstr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// group is the machines of one pool in one zone.
type group struct {
	// name of the MachineDeployment; class is the name of the MachineClass and of its Secret.
	name, class string
	// zone is empty if the pool names no zone.
	zone             string
	minimum, maximum int32
	// surge and unavailable bound a rolling update.
	surge, unavailable intstr.IntOrString
	pool               *extensionsv1alpha1.WorkerPool
	// nodeImage is the image of the machines; empty if they are not containers.
	nodeImage string
	// former is what the class was on another seed, if the pool has another one by now; nil otherwise.
	former *v1alpha1.MachineClass
}

// inPlace reports whether the machines of the group are updated where they are.
func (g group) inPlace() bool {
	return g.pool.UpdateStrategy != nil && *g.pool.UpdateStrategy != gardencorev1beta1.AutoRollingUpdate
}

// plan lists the groups of a Worker, in the order of its pools and their zones.
func plan(worker *extensionsv1alpha1.Worker, cluster *contract.Cluster, nodeImage func(*extensionsv1alpha1.WorkerPool, string) string) []group {
	var groups []group
	for i := range worker.Spec.Pools {
		pool := &worker.Spec.Pools[i]
		zones := pool.Zones
		if len(zones) == 0 {
			zones = []string{""}
		}
		image := nodeImage(pool, kubernetesVersion(pool, cluster))
		hash := poolHash(pool, cluster, image)
		for n, zone := range zones {
			name := fmt.Sprintf("%s-%s-z%d", worker.Namespace, pool.Name, n+1)
			g := group{
				name: name, class: name + "-" + hash, zone: zone, pool: pool, nodeImage: image,
				minimum: share(pool.Minimum, len(zones), n),
				maximum: share(pool.Maximum, len(zones), n),
			}
			g.surge, g.unavailable = bounded(shareOf(pool.MaxSurge, len(zones), n), shareOf(pool.MaxUnavailable, len(zones), n))
			if g.inPlace() {
				g.surge, g.unavailable = intstr.FromInt32(0), atLeastOne(shareOf(pool.MaxUnavailable, len(zones), n))
			}
			groups = append(groups, g)
		}
	}
	return groups
}

// replicas decides how many machines a group gets. A hibernated Shoot gets none. Otherwise it is the current number
// within the pool's bounds, the saved number if the Shoot moved here, or the minimum. After hibernation it is the
// minimum.
func replicas(g group, existing, saved *int32, hibernated bool) int32 {
	current := existing
	if current == nil {
		current = saved
	}
	switch {
	case hibernated:
		return 0
	case current == nil || *current == 0:
		return g.minimum
	}
	return min(max(*current, g.minimum), g.maximum)
}

// deployments is the plan in the form that other controllers read from the status.
func deployments(groups []group) []extensionsv1alpha1.MachineDeployment {
	var out []extensionsv1alpha1.MachineDeployment
	for _, g := range groups {
		out = append(out, extensionsv1alpha1.MachineDeployment{
			Name: g.name, Minimum: g.minimum, Maximum: g.maximum, Priority: g.pool.Priority,
		})
	}
	return out
}
