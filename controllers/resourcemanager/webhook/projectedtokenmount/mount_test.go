package projectedtokenmount_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/projectedtokenmount"
)

func TestMutate(t *testing.T) {
	const annotation = "projected-token-mount.resources.gardener.cloud/expiration-seconds"
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "a", Name: "quiet"}, AutomountServiceAccountToken: ptr.To(false)}
	mutator := &projectedtokenmount.Mutator{Target: fake.NewClientBuilder().WithObjects(account).Build(), ExpirationSeconds: 3600}
	for name, tc := range map[string]struct {
		change  func(*corev1.Pod)
		want    int64 // seconds; 0 means that the webhook adds no volume
		wantErr bool
	}{
		"GRM-34 the configured life by default":      {func(*corev1.Pod) {}, 3600, false},
		"GRM-34 the pod's own life wins":             {func(p *corev1.Pod) { p.Annotations = map[string]string{annotation: "1200"} }, 1200, false},
		"GRM-34 a life that is none is refused":      {func(p *corev1.Pod) { p.Annotations = map[string]string{annotation: "long"} }, 0, true},
		"GRM-32 an existing token volume is enough":  {func(p *corev1.Pod) { p.Spec.Volumes = []corev1.Volume{{Name: "kube-api-access-x"}} }, 0, false},
		"GRM-32 a pod without service account":       {func(p *corev1.Pod) { p.Spec.ServiceAccountName = "" }, 0, false},
		"an account that does not exist is an error": {func(p *corev1.Pod) { p.Spec.ServiceAccountName = "absent" }, 0, true},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "a"}, Spec: corev1.PodSpec{ServiceAccountName: "quiet"}}
			tc.change(pod)
			err := mutator.Mutate(t.Context(), pod)
			var got int64
			for _, volume := range pod.Spec.Volumes {
				if volume.Projected != nil {
					got = *volume.Projected.Sources[0].ServiceAccountToken.ExpirationSeconds
				}
			}
			if got != tc.want || (err != nil) != tc.wantErr {
				t.Errorf("seconds = %d, error = %v", got, err)
			}
		})
	}
}
