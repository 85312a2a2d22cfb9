package security

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
)

func TestCredentialsBinding(t *testing.T) {
	old := &security.CredentialsBinding{
		ObjectMeta:     metav1.ObjectMeta{Name: "local", Namespace: "garden-local", ResourceVersion: "1"},
		Provider:       security.CredentialsBindingProvider{Type: "local"},
		CredentialsRef: corev1.ObjectReference{APIVersion: "v1", Kind: "Secret", Name: "local"},
	}
	security.SetObjectDefaults_CredentialsBinding(old)
	if errs := ValidateCredentialsBinding(old); len(errs) > 0 {
		t.Fatalf("a complete binding is invalid: %v", errs)
	}
	binding := old.DeepCopy()
	binding.CredentialsRef.Name = "other"
	if errs := ValidateCredentialsBindingUpdate(binding, old); len(errs) != 1 || errs[0].Field != "credentialsRef" {
		t.Errorf("other credentials: %v", errs)
	}
	binding.Provider.Type = "a,b"
	binding.CredentialsRef.Kind = "ConfigMap"
	if errs := ValidateCredentialsBinding(binding); len(errs) != 2 {
		t.Errorf("two providers and a ConfigMap: %v", errs)
	}
}

func TestWorkloadIdentity(t *testing.T) {
	identity := &security.WorkloadIdentity{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "garden-local"}}
	if errs := ValidateWorkloadIdentity(identity); len(errs) != 2 {
		t.Errorf("neither audience nor target: %v", errs)
	}
}

func TestTokenRequest(t *testing.T) {
	request := &security.TokenRequest{Spec: security.TokenRequestSpec{ExpirationSeconds: new(int64(599))}}
	if errs := ValidateTokenRequest(request); len(errs) != 1 {
		t.Errorf("a life below ten minutes: %v", errs)
	}
}
