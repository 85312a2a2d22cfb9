// Package podzoneaffinity keeps all pods of a namespace in one zone, if the namespace has the annotation for that. An
// empty value allows any zone, other values name the zone. The webhook drops other zone affinities of the pods.
package podzoneaffinity

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	resourcesv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/resources/v1alpha1"
)

// Mutator changes affinities.
type Mutator struct {
	Target client.Reader // reads metadata of namespaces
}

// Mutate changes the pod if its namespace is bound to a zone.
func (m *Mutator) Mutate(ctx context.Context, pod *corev1.Pod) error {
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "Namespace"})
	if err := m.Target.Get(ctx, types.NamespacedName{Name: pod.Namespace}, namespace); err != nil {
		return fmt.Errorf("read namespace %q: %w", pod.Namespace, err)
	}
	if zone, bound := namespace.Annotations[resourcesv1alpha1.ShootEnforceZone]; bound {
		Bind(&pod.Spec, zone)
	}
	return nil
}

// Bind makes pods of one namespace run in the same zone, and in the given zone unless it is empty. It is idempotent.
func Bind(spec *corev1.PodSpec, zone string) {
	if spec.Affinity == nil {
		spec.Affinity = &corev1.Affinity{}
	}
	dropZones(spec.Affinity)
	if spec.Affinity.PodAffinity == nil {
		spec.Affinity.PodAffinity = &corev1.PodAffinity{}
	}
	together := &spec.Affinity.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	*together = append(*together, corev1.PodAffinityTerm{LabelSelector: &metav1.LabelSelector{}, TopologyKey: corev1.LabelTopologyZone})
	if zone != "" {
		requireZone(spec.Affinity, zone)
	}
}

func dropZones(affinity *corev1.Affinity) {
	if a := affinity.PodAffinity; a != nil {
		dropTerms(&a.RequiredDuringSchedulingIgnoredDuringExecution, &a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
	if a := affinity.PodAntiAffinity; a != nil {
		dropTerms(&a.RequiredDuringSchedulingIgnoredDuringExecution, &a.PreferredDuringSchedulingIgnoredDuringExecution)
	}
}

func dropTerms(required *[]corev1.PodAffinityTerm, preferred *[]corev1.WeightedPodAffinityTerm) {
	*required = slices.DeleteFunc(*required, func(term corev1.PodAffinityTerm) bool { return term.TopologyKey == corev1.LabelTopologyZone })
	*preferred = slices.DeleteFunc(*preferred, func(term corev1.WeightedPodAffinityTerm) bool {
		return term.PodAffinityTerm.TopologyKey == corev1.LabelTopologyZone
	})
}

// requireZone adds the zone to every alternative, since the scheduler needs only one of them to match.
func requireZone(affinity *corev1.Affinity, zone string) {
	if affinity.NodeAffinity == nil {
		affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	required := affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	if required == nil || len(required.NodeSelectorTerms) == 0 {
		required = &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{}}}
		affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution = required
	}
	for i := range required.NodeSelectorTerms {
		term := &required.NodeSelectorTerms[i]
		term.MatchExpressions = slices.DeleteFunc(term.MatchExpressions, func(r corev1.NodeSelectorRequirement) bool { return r.Key == corev1.LabelTopologyZone })
		term.MatchExpressions = append(term.MatchExpressions, corev1.NodeSelectorRequirement{
			Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{zone},
		})
	}
}
