package namespace

import (
	"testing"
	"time"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// refusedReference is the namespace of a Shoot that refers to a Secret with a program. The seed has an older copy.
func refusedReference() (Namespace, *corev1.Secret) {
	const program = "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never}}}]\n"
	garden := fake.NewClientBuilder().WithObjects(&corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "bad"}, Data: map[string][]byte{"any": []byte(program)},
	}).Build()
	copied := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shoot--p--s", Name: "ref-bad", Labels: labelReferenced}, Data: map[string][]byte{"any": []byte("good")},
	}
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s"}}
	shoot.Spec.Resources = []gardencorev1beta1.NamedResourceReference{{
		Name: "r", ResourceRef: autoscalingv1.CrossVersionObjectReference{APIVersion: "v1", Kind: "Secret", Name: "bad"},
	}}
	space := seed.Space{Name: copied.Namespace, Client: fake.NewClientBuilder().WithObjects(copied).Build()}
	return Namespace{Shoot: shoot, Space: space, GardenReader: garden}, copied
}

func TestRefusedReference(t *testing.T) {
	t.Run("GAC-2 a kubeconfig with a program is not copied into the seed", func(t *testing.T) {
		n, _ := refusedReference()
		if err := n.DeployReferenced(t.Context()); !operation.Refused(err) {
			t.Errorf("error is %v", err)
		}
	})
	t.Run("GAC-2 it does not keep a Shoot from being deleted, and extensions keep what they have", func(t *testing.T) {
		n, copied := refusedReference()
		n.Shoot.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		if err := n.DeployReferenced(t.Context()); err != nil {
			t.Error(err)
		}
		if err := n.Space.Client.Get(t.Context(), client.ObjectKeyFromObject(copied), copied); err != nil || string(copied.Data["any"]) != "good" {
			t.Errorf("the copy is %s, %v", copied.Data, err)
		}
	})
}
