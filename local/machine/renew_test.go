package machine

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/local/userdata"
	contract "github.com/gardener-up/gardener-up/providers/contract/machine"
)

func bootsWith(t *testing.T, config string) []byte {
	t.Helper()
	document := userdata.Document{Files: []userdata.File{userdata.NewFile(configPath, 0o644, []byte(config))}}
	data, err := document.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestUpdateInPlace(t *testing.T) {
	m := &machinev1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: here, Name: "one"}}
	m.Spec.Class.Name = "old"
	pod := newPod(m, "old", oldImage, "")
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{ContainerID: "first", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	cluster := fake.NewClientBuilder().WithObjects(pod, newSecret(m, "old", bootsWith(t, "a"))).Build()
	driver := &Driver{Client: cluster}
	request := contract.Request{
		Machine: m, Class: &machinev1alpha1.MachineClass{ObjectMeta: metav1.ObjectMeta{Namespace: here, Name: "new"}},
		Secret: map[string][]byte{contract.UserDataKey: bootsWith(t, "b")},
	}
	update := func() bool {
		t.Helper()
		done, err := driver.Update(t.Context(), request)
		if err != nil {
			t.Fatal(err)
		}
		return done
	}
	t.Run("API-16 the machine gets what it boots from", func(t *testing.T) {
		for range 2 {
			if update() {
				t.Error("the update is over before the container has started again")
			}
		}
		secret, changed := &corev1.Secret{}, &corev1.Pod{}
		for key, object := range map[string]client.Object{"machine-one": secret} {
			if err := cluster.Get(t.Context(), client.ObjectKey{Namespace: here, Name: key}, object); err != nil {
				t.Fatal(err)
			}
		}
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(pod), changed); err != nil {
			t.Fatal(err)
		}
		if string(secret.Data["userdata"]) != string(bootsWith(t, "b")) || changed.Annotations[classAnnotation] != "new" || changed.UID != pod.UID {
			t.Errorf("pod has the class %q, Secret %q", changed.Annotations[classAnnotation], secret.Data["userdata"])
		}
	})
	t.Run("API-16 the update ends when its container has started again", func(t *testing.T) {
		again := &corev1.Pod{}
		if err := cluster.Get(t.Context(), client.ObjectKeyFromObject(pod), again); err != nil {
			t.Fatal(err)
		}
		again.Status.ContainerStatuses[0].ContainerID = "second"
		if err := cluster.Status().Update(t.Context(), again); err != nil {
			t.Fatal(err)
		}
		if !update() {
			t.Error("the update does not end")
		}
	})
}

func TestBootData(t *testing.T) {
	base := string(bootData("class", bootsWith(t, "a")))
	for name, tc := range map[string]struct {
		class   string
		data    []byte
		changes bool
	}{
		"another class":                       {"other", bootsWith(t, "a"), true},
		"another configuration":               {"class", bootsWith(t, "b"), true},
		"the same":                            {"class", bootsWith(t, "a"), false},
		"user data that cannot be read":       {"class", []byte("{"), true},
		"a file that the kubelet reads again": {"class", withCA(t, "a"), false},
	} {
		t.Run("API-16 "+name, func(t *testing.T) {
			if got := string(bootData(tc.class, tc.data)) != base; got != tc.changes {
				t.Errorf("the machine boots again: %t, want %t", got, tc.changes)
			}
		})
	}
}

// withCA is user data with a configuration and an authority.
func withCA(t *testing.T, config string) []byte {
	t.Helper()
	document := userdata.Document{Files: []userdata.File{userdata.NewFile(configPath, 0o644, []byte(config)), userdata.NewFile(caPath, 0o644, []byte("ca"))}}
	data, err := document.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}
