package operation

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

// TestSecretsOfUsers has a Secret that got past admission.
func TestSecretsOfUsers(t *testing.T) {
	const program = "users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: sh, interactiveMode: Never}}}]\n"
	meta := metav1.ObjectMeta{Namespace: "garden-p", Name: "bad"}
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	garden := fake.NewClientBuilder().WithScheme(scheme).WithObjects(
		&corev1.Secret{ObjectMeta: meta, Data: map[string][]byte{"any": []byte(program)}},
		&gardencorev1beta1.SecretBinding{ObjectMeta: meta, SecretRef: corev1.SecretReference{Namespace: meta.Namespace, Name: meta.Name}},
	).Build()
	shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: meta.Namespace, Name: "s"}}
	shoot.Spec.SecretBindingName = ptr.To(meta.Name)
	t.Run("GAC-2 a refused kubeconfig does not keep a Shoot from being deleted", func(t *testing.T) {
		deleted := shoot.DeepCopy()
		deleted.DeletionTimestamp = &metav1.Time{Time: time.Now()}
		op := &Operation{Shoot: deleted}
		if _, err := op.dnsCredentials(t.Context(), garden, &gardencorev1beta1.DNSProvider{SecretName: ptr.To(meta.Name)}); err != nil {
			t.Errorf("credentials of the DNS provider: %v", err)
		}
		if err := op.loadCredentials(t.Context(), garden); err != nil || !op.KeepCredentials || op.Credentials != nil {
			t.Errorf("credentials of the infrastructure: %v, kept: %v", err, op.KeepCredentials)
		}
		if _, err := op.dnsCredentials(t.Context(), garden, &gardencorev1beta1.DNSProvider{Type: ptr.To("x")}); err != nil {
			t.Errorf("credentials of the infrastructure for the DNS provider: %v", err)
		}
	})
	for name, read := range map[string]func() error{
		"a resource": func() error {
			_, err := ReadSecret(t.Context(), garden, client.ObjectKey{Namespace: meta.Namespace, Name: meta.Name})
			return err
		},
		"the infrastructure": func() error {
			_, err := credentialsOf(t.Context(), garden, shoot)
			return err
		},
		"a DNS provider": func() error {
			_, err := (&Operation{Shoot: shoot}).dnsCredentials(t.Context(), garden, &gardencorev1beta1.DNSProvider{SecretName: ptr.To(meta.Name)})
			return err
		},
	} {
		t.Run("GAC-2 the gardenlet does not hand on a kubeconfig with a program for "+name, func(t *testing.T) {
			if err := read(); err == nil || !strings.Contains(err.Error(), `in key "any" is not allowed: user "u" runs a program`) {
				t.Errorf("error is %v", err)
			}
		})
	}
}
