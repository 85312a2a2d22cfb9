package machine

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
)

const (
	here     = "shoot--a--b"
	oldImage = "gardener.local/gardener:v1"
	newImage = "gardener.local/gardener:v2"
)

func signer(t *testing.T) *podsignature.Signer {
	t.Helper()
	key, err := podsignature.NewKey()
	if err != nil {
		t.Fatal(err)
	}
	made, err := podsignature.ParseKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// podOf is the pod of a machine.
func podOf(t *testing.T, pods *podsignature.Signer, namespace, name, image string, changes ...func(*corev1.Pod)) *corev1.Pod {
	t.Helper()
	signature, err := Signature(pods, namespace, image)
	if err != nil {
		t.Fatal(err)
	}
	pod := newPod(&machinev1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}, "", image, signature)
	for _, change := range changes {
		change(pod)
	}
	return pod
}

func TestUpdate(t *testing.T) {
	pods := signer(t)
	for name, tc := range map[string]struct {
		pod  *corev1.Pod
		want string // image
	}{
		"the pod of a machine takes the image":        {podOf(t, pods, here, "one", oldImage), newImage},
		"a pod with the image stays":                  {podOf(t, pods, here, "one", newImage), newImage},
		"a pod of another namespace stays":            {podOf(t, pods, "shoot--a--c", "one", oldImage), oldImage},
		"a pod that somebody else has signed stays":   {podOf(t, signer(t), here, "one", oldImage), oldImage},
		"a pod with the signature of another stays":   {podOf(t, pods, here, "one", oldImage, func(p *corev1.Pod) { p.Spec.Containers[0].Image = "gardener.local/gardener:v0" }), "gardener.local/gardener:v0"},
		"a pod without a signature stays":             {podOf(t, nil, here, "one", oldImage), oldImage},
		"a pod that is no machine stays":              {podOf(t, pods, here, "one", oldImage, func(p *corev1.Pod) { p.Labels = nil }), oldImage},
		"a pod that has ended stays, it runs no more": {podOf(t, pods, here, "one", oldImage, func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }), oldImage},
		"a pod with one container more stays":         {podOf(t, pods, here, "one", oldImage, func(p *corev1.Pod) { p.Spec.Containers = append(p.Spec.Containers, corev1.Container{Name: "b"}) }), oldImage},
	} {
		t.Run("APP-6 "+name, func(t *testing.T) {
			c := fake.NewClientBuilder().WithObjects(tc.pod).Build()
			if err := Update(t.Context(), c, c, here, newImage, pods); err != nil {
				t.Fatal(err)
			}
			got := &corev1.Pod{}
			if err := c.Get(t.Context(), client.ObjectKeyFromObject(tc.pod), got); err != nil {
				t.Fatal(err)
			}
			if got.Spec.Containers[0].Image != tc.want {
				t.Errorf("image is %s, want %s", got.Spec.Containers[0].Image, tc.want)
			}
			if err := pods.Verifier().Verify(got); tc.pod.Namespace == here && tc.want == newImage && err != nil {
				t.Errorf("the pod is not genuine: %v", err)
			}
		})
	}
	t.Run("APP-6 without signatures all pods of machines take the image", func(t *testing.T) {
		pod := podOf(t, nil, here, "one", oldImage)
		c := fake.NewClientBuilder().WithObjects(pod).Build()
		if err := Update(t.Context(), c, c, here, newImage, nil); err != nil {
			t.Fatal(err)
		}
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil || pod.Spec.Containers[0].Image != newImage {
			t.Errorf("image is %s, %v", pod.Spec.Containers[0].Image, err)
		}
	})
}
