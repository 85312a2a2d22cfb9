package podzoneaffinity_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/podzoneaffinity"
)

const zoneKey, hostKey = "topology.kubernetes.io/zone", "kubernetes.io/hostname"

func TestBind(t *testing.T) {
	together := corev1.PodAffinityTerm{LabelSelector: &metav1.LabelSelector{}, TopologyKey: zoneKey}
	host, zone := corev1.PodAffinityTerm{TopologyKey: hostKey}, corev1.PodAffinityTerm{TopologyKey: zoneKey}
	conflicting := func() *corev1.Affinity {
		return &corev1.Affinity{
			PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{zone, host}},
			PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution:  []corev1.PodAffinityTerm{zone},
				PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 1, PodAffinityTerm: zone}, {Weight: 2, PodAffinityTerm: host}},
			},
		}
	}
	in := func(zone string) *corev1.NodeAffinity {
		return &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{
			{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: zoneKey, Operator: corev1.NodeSelectorOpIn, Values: []string{zone}}}},
		}}}
	}
	for name, tc := range map[string]struct {
		affinity *corev1.Affinity
		zone     string
		want     *corev1.Affinity
	}{
		"GRM-35 pods of a namespace share a zone": {want: &corev1.Affinity{PodAffinity: &corev1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{together},
		}}},
		"GRM-35 a named zone is required of nodes": {zone: "a", want: &corev1.Affinity{
			NodeAffinity: in("a"), PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{together}},
		}},
		"GRM-36 other wishes about zones are dropped, those about hosts are kept": {affinity: conflicting(), want: &corev1.Affinity{
			PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{host, together}},
			PodAntiAffinity: &corev1.PodAntiAffinity{
				RequiredDuringSchedulingIgnoredDuringExecution:  []corev1.PodAffinityTerm{},
				PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 2, PodAffinityTerm: host}},
			},
		}},
		"GRM-36 a wish for another zone is dropped": {affinity: &corev1.Affinity{NodeAffinity: in("b")}, zone: "a", want: &corev1.Affinity{
			NodeAffinity: in("a"), PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{together}},
		}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &corev1.PodSpec{Affinity: tc.affinity}
			for range 2 { // twice is as good as once
				podzoneaffinity.Bind(spec, tc.zone)
			}
			if diff := cmp.Diff(tc.want, spec.Affinity); diff != "" {
				t.Errorf("affinity (-want +got):\n%s", diff)
			}
		})
	}
}
