package operations

import (
	"crypto/ed25519"
	"testing"

	"golang.org/x/crypto/ssh"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	operations "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
)

func TestBastion(t *testing.T) {
	public, _, err := ed25519.GenerateKey(nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := ssh.NewPublicKey(public)
	if err != nil {
		t.Fatal(err)
	}
	old := &operations.Bastion{
		ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "garden-local", ResourceVersion: "1"},
		Spec: operations.BastionSpec{
			ShootRef:     corev1.LocalObjectReference{Name: "local"},
			SSHPublicKey: string(ssh.MarshalAuthorizedKey(key)),
			Ingress:      []operations.BastionIngressPolicy{{IPBlock: networkingv1.IPBlock{CIDR: "10.0.0.0/8"}}},
		},
	}
	if errs := ValidateBastion(old); len(errs) > 0 {
		t.Fatalf("BST-1 a complete bastion is invalid: %v", errs)
	}
	bastion := old.DeepCopy()
	bastion.Spec.ShootRef.Name = "other"
	if errs := ValidateBastionUpdate(bastion, old); len(errs) != 1 || errs[0].Field != "spec.shootRef" {
		t.Errorf("BST-1 another shoot: %v", errs)
	}
	bastion.Spec = operations.BastionSpec{SSHPublicKey: "none", Ingress: []operations.BastionIngressPolicy{{}}}
	if errs := ValidateBastion(bastion); len(errs) != 3 {
		t.Errorf("BST-1 no shoot, no key, no range: %v", errs)
	}
}
