package shoot

import (
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const warnZones = "spec.controlPlane.zones only chooses a seed with these zones: the pods of the control plane run on any node of the seed"

// warnControlPlane warns about zones that are asked for and not used. old is nil for a creation. Whether the nodes of the seed suffice for
// a failure tolerance is in the condition ControlPlaneHealthy.
func warnControlPlane(s, old *core.Shoot) (out []string) {
	plane := s.Spec.ControlPlane
	if plane == nil || old != nil && apiequality.Semantic.DeepEqual(plane, old.Spec.ControlPlane) {
		return nil
	}
	if len(plane.Zones) > 0 {
		out = append(out, warnZones)
	}
	return out
}
