package lifecycle

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
)

func TestRelease(t *testing.T) {
	for name, tc := range map[string]struct {
		reason string
		marked bool
		want   bool // unschedulable
	}{
		"API-16 a node that was drained is schedulable again":                                              {machinev1alpha1.ReasonReadyForUpdate, true, false},
		"API-16 so is one that an older version has drained":                                               {machinev1alpha1.ReasonReadyForUpdate, false, false},
		"API-16 so is one about which something outdated was written last":                                 {machinev1alpha1.ReasonCandidateForUpdate, true, false},
		"API-16 a node that a person has made unschedulable stays so if its machine does not have to move": {machinev1alpha1.ReasonCandidateForUpdate, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: corev1.NodeSpec{Unschedulable: true}, Status: corev1.NodeStatus{
				Conditions: []corev1.NodeCondition{{Type: machinev1alpha1.NodeInPlaceUpdate, Reason: tc.reason}},
			}}
			if tc.marked {
				node.Annotations = map[string]string{cordonedAnnotation: "true"}
			}
			c := fake.NewClientBuilder().WithObjects(node).WithStatusSubresource(node).Build()
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(node), node); err != nil {
				t.Fatal(err)
			}
			if err := (writer{client: c, clock: clocktesting.NewFakePassiveClock(time.Now())}).release(t.Context(), node); err != nil {
				t.Fatal(err)
			}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(node), node); err != nil {
				t.Fatal(err)
			}
			if _, left := node.Annotations[cordonedAnnotation]; left || node.Spec.Unschedulable != tc.want {
				t.Errorf("unschedulable %t, annotations %v", node.Spec.Unschedulable, node.Annotations)
			}
		})
	}
}
