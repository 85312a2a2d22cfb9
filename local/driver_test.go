package local_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	localmachine "github.com/gardener-up/gardener-up/local/machine"
	"github.com/gardener-up/gardener-up/providers/contract/machine"
)

func TestDriver(t *testing.T) {
	driver := &localmachine.Driver{Client: seed, Image: "gardener"}
	m := &machinev1alpha1.Machine{ObjectMeta: meta("node-1"), Spec: machinev1alpha1.MachineSpec{Class: machinev1alpha1.ClassSpec{Name: "class"}}}
	request := machine.Request{
		Machine: m,
		Class:   &machinev1alpha1.MachineClass{ObjectMeta: meta("class"), ProviderSpec: runtime.RawExtension{Raw: []byte(`{}`)}},
		Secret:  map[string][]byte{machine.UserDataKey: []byte("boot")},
	}
	pod := &corev1.Pod{}
	pod.Namespace, pod.Name = namespace, "machine-node-1"

	t.Run("EXT-11 knows no machine before it is made", func(t *testing.T) {
		if _, err := driver.Status(t.Context(), request); !machine.IsNotFound(err) {
			t.Errorf("status is %v, want not found", err)
		}
	})
	t.Run("EXT-11 refuses a class without user data", func(t *testing.T) {
		empty := request
		empty.Secret = nil
		if _, err := driver.Create(t.Context(), empty); machine.CodeOf(err) != machine.InvalidArgument {
			t.Errorf("error is %v, want an invalid argument", err)
		}
	})
	t.Run("EXT-11 makes one pod, however often it is asked", func(t *testing.T) {
		want := machine.Instance{
			ProviderID: "local:///" + namespace + "/node-1", NodeName: "node-1",
			Addresses: []corev1.NodeAddress{{Type: corev1.NodeHostName, Address: "node-1"}},
		}
		for range 2 {
			got, err := driver.Create(t.Context(), request)
			if err != nil {
				t.Fatalf("create: %v", err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("instance (-want +got):\n%s", diff)
			}
		}
		if err := seed.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil {
			t.Fatalf("read pod: %v", err)
		}
		if pod.Labels["app"] != "machine" || pod.Spec.Containers[0].Image != "gardener" {
			t.Errorf("pod has labels %v and image %s", pod.Labels, pod.Spec.Containers[0].Image)
		}
	})
	t.Run("EXT-11 lists the machines of the class", func(t *testing.T) {
		got, err := driver.List(t.Context(), machine.Request{Class: request.Class})
		if err != nil {
			t.Fatalf("list: %v", err)
		}
		if diff := cmp.Diff(map[string]string{"local:///" + namespace + "/node-1": "node-1"}, got); diff != "" {
			t.Errorf("machines (-want +got):\n%s", diff)
		}
		other := &machinev1alpha1.MachineClass{ObjectMeta: meta("other")}
		if got, err := driver.List(t.Context(), machine.Request{Class: other}); err != nil || len(got) > 0 {
			t.Errorf("machines of another class are %v, %v", got, err)
		}
	})
	t.Run("EXT-11 replaces a pod that has ended", func(t *testing.T) {
		uid := pod.UID
		pod.Status.Phase = corev1.PodFailed
		if err := seed.Status().Update(t.Context(), pod); err != nil {
			t.Fatalf("end pod: %v", err)
		}
		if got, err := driver.Status(t.Context(), request); err != nil || !got.Stopped {
			t.Errorf("status is %+v, %v; want stopped", got, err)
		}
		if err := driver.Start(t.Context(), request); err != nil {
			t.Fatalf("start: %v", err)
		}
		if err := seed.Get(t.Context(), client.ObjectKeyFromObject(pod), pod); err != nil || pod.UID == uid {
			t.Errorf("the pod is the old one, or cannot be read: %v", err)
		}
	})
	t.Run("EXT-11 removes all it made, also when nothing is there", func(t *testing.T) {
		for range 2 {
			if err := driver.Delete(t.Context(), request); err != nil {
				t.Fatalf("delete: %v", err)
			}
		}
		if found(t.Context(), pod, namespace, "machine-node-1") || found(t.Context(), &corev1.Secret{}, namespace, "machine-node-1") {
			t.Errorf("the pod or its secret is still there")
		}
	})
}
