package machine

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/local/userdata"
)

// trusting is user data with an authority.
func trusting(t *testing.T, ca string) []byte {
	t.Helper()
	document := userdata.Document{Files: []userdata.File{userdata.NewFile("/var/lib/kubelet/ca.crt", 0o644, []byte(ca))}}
	data, err := document.Encode()
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func TestRefresh(t *testing.T) {
	made := func(name, class string) []client.Object {
		m := &machinev1alpha1.Machine{ObjectMeta: metav1.ObjectMeta{Namespace: here, Name: name}}
		m.Spec.Class.Name = class
		return []client.Object{newPod(m, class, oldImage, ""), newSecret(m, class, trusting(t, "old"))}
	}
	cluster := fake.NewClientBuilder().WithObjects(append(made("one", "class"), made("two", "other")...)...).Build()
	if err := Refresh(t.Context(), cluster, cluster, here, "class", trusting(t, "new")); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct{ secret, want string }{
		"CAR-10 a machine of the class gets the new authority": {"machine-one", "new"},
		"CAR-10 a machine of another class keeps its own":      {"machine-two", "old"},
	} {
		t.Run(name, func(t *testing.T) {
			secret := &corev1.Secret{}
			if err := cluster.Get(t.Context(), client.ObjectKey{Namespace: here, Name: tc.secret}, secret); err != nil {
				t.Fatal(err)
			}
			if got := string(secret.Data["kubelet-ca.crt"]); got != tc.want || string(secret.Data["userdata"]) != string(trusting(t, tc.want)) {
				t.Errorf("it trusts %q, want %q", got, tc.want)
			}
		})
	}
}
