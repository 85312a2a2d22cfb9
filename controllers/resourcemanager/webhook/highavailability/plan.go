// Package highavailability spreads replicated workloads over hosts and zones, and gives them enough replicas for that.
// Annotations of a namespace say which failures workloads must survive and which zones exist. A label of a workload
// says which type it is.
package highavailability

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Setting is the configuration in the annotations of a namespace.
type Setting struct {
	FailureTolerance *string // nil if not set; "" means none, else node or zone
	Zones            []string
	ZonePinning      bool
}

// SettingOf reads the annotations of a namespace.
func SettingOf(annotations map[string]string) Setting {
	var s Setting
	if value, found := annotations[resourcesv1alpha1.HighAvailabilityConfigFailureToleranceType]; found {
		s.FailureTolerance = &value
	}
	for _, zone := range strings.Split(annotations[resourcesv1alpha1.HighAvailabilityConfigZones], ",") {
		if zone = strings.TrimSpace(zone); zone != "" && !slices.Contains(s.Zones, zone) {
			s.Zones = append(s.Zones, zone)
		}
	}
	slices.Sort(s.Zones)
	s.ZonePinning, _ = strconv.ParseBool(annotations[resourcesv1alpha1.HighAvailabilityConfigZonePinning])
	return s
}

// tolerant reports whether the workload must survive the failure of a node or zone.
func (s Setting) tolerant() bool { return ptr.Deref(s.FailureTolerance, "") != "" }

// Replicas returns the minimum number of replicas of a workload with the given value of the type label, nil if it has
// no type.
func (s Setting) Replicas(kind string) *int32 {
	switch {
	case kind == "":
		return nil
	case kind == resourcesv1alpha1.HighAvailabilityConfigTypeController && s.FailureTolerance != nil && *s.FailureTolerance == "":
		return ptr.To[int32](1)
	}
	return ptr.To[int32](2)
}

// Constraints spread the replicas with the labels over hosts and, if there are several, over zones. If the workload
// must survive failures, or if hostSpread is set, pods stay pending rather than share a host.
func (s Setting) Constraints(replicas int32, labels *metav1.LabelSelector, hostSpread bool) []corev1.TopologySpreadConstraint {
	if replicas < 2 || labels == nil {
		return nil
	}
	hosts := corev1.ScheduleAnyway
	if s.tolerant() || hostSpread {
		hosts = corev1.DoNotSchedule
	}
	constraints := []corev1.TopologySpreadConstraint{constraint(corev1.LabelHostname, 1, hosts, labels)}
	if len(s.Zones) > 1 {
		skew := int32(1)
		if int(replicas) >= 2*len(s.Zones) {
			skew = 2 // leaves room for rolling updates
		}
		constraints = append(constraints, constraint(corev1.LabelTopologyZone, skew, corev1.DoNotSchedule, labels))
	}
	return constraints
}

func constraint(key string, skew int32, otherwise corev1.UnsatisfiableConstraintAction, labels *metav1.LabelSelector) corev1.TopologySpreadConstraint {
	return corev1.TopologySpreadConstraint{MaxSkew: skew, TopologyKey: key, WhenUnsatisfiable: otherwise, LabelSelector: labels.DeepCopy()}
}

// PinZones requires nodes in the zones, if the namespace is bound to them.
func (s Setting) PinZones(spec *corev1.PodSpec) {
	if len(s.Zones) == 0 || !(s.ZonePinning || s.FailureTolerance != nil) {
		return
	}
	if spec.Affinity == nil {
		spec.Affinity = &corev1.Affinity{}
	}
	if spec.Affinity.NodeAffinity == nil {
		spec.Affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	required := &spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if *required == nil || len((*required).NodeSelectorTerms) == 0 {
		*required = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{}}}
	}
	for i := range (*required).NodeSelectorTerms {
		term := &(*required).NodeSelectorTerms[i]
		term.MatchExpressions = slices.DeleteFunc(term.MatchExpressions, func(r corev1.NodeSelectorRequirement) bool { return r.Key == corev1.LabelTopologyZone })
		term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: s.Zones})
	}
}
