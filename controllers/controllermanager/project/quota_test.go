package project_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/project"
)

func TestDesiredQuota(t *testing.T) {
	quota := func(labels map[string]string, hard map[corev1.ResourceName]string) *corev1.ResourceQuota {
		q := &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-dev", Name: "gardener", Labels: labels}}
		q.Spec.Hard = corev1.ResourceList{}
		for name, amount := range hard {
			q.Spec.Hard[name] = resource.MustParse(amount)
		}
		return q
	}
	template := quota(map[string]string{"a": "1"}, map[corev1.ResourceName]string{"count/secrets": "5", "count/shoots": "3"})
	for name, tc := range map[string]struct{ existing, want *corev1.ResourceQuota }{
		"GCM-5 a namespace gets the quota that is configured": {nil, template},
		"GCM-6 amounts that are there stay, others are added": {
			quota(nil, map[corev1.ResourceName]string{"count/secrets": "1"}),
			quota(map[string]string{"a": "1"}, map[corev1.ResourceName]string{"count/secrets": "1", "count/shoots": "3"}),
		},
		"GCM-6 labels are merged, further amounts stay": {
			quota(map[string]string{"b": "2"}, map[corev1.ResourceName]string{"pods": "0", "count/secrets": "5", "count/shoots": "3"}),
			quota(map[string]string{"a": "1", "b": "2"}, map[corev1.ResourceName]string{"pods": "0", "count/secrets": "5", "count/shoots": "3"}),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := project.DesiredQuota(tc.existing, template, "garden-dev")
			want := tc.want.DeepCopy()
			if tc.existing == nil {
				want.Annotations, want.Labels = nil, template.Labels
			}
			if !equality.Semantic.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
		})
	}
}
