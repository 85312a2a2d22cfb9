package security

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	security "github.com/gardener-up/gardener-up/embedded/apis/security/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/apivalidation/internal/mistakes"
)

func TestContract(t *testing.T) {
	R, meta := mistakes.R, metav1.ObjectMeta{Name: "a", Namespace: "garden-a", ResourceVersion: "1"}
	binding := func() *security.CredentialsBinding {
		return &security.CredentialsBinding{ObjectMeta: meta, Provider: security.CredentialsBindingProvider{Type: "a"}, CredentialsRef: corev1.ObjectReference{APIVersion: "v1", Kind: "Secret", Name: "a", Namespace: "b"}}
	}
	mistakes.Check(t, binding, ValidateCredentialsBinding,
		R("a binding has a provider", "provider.type", `""`),
		R("a binding has one provider", "provider.type", `"a,b"`),
		R("credentials are of a known kind", "credentialsRef.kind", `"ConfigMap"`),
		R("credentials have a name", "credentialsRef.name", `""`),
		R("credentials have a namespace", "credentialsRef.namespace", `""`),
		R("quotas have names", "quotas", `[{}]`, "quotas[0].name"),
		R("quotas are named once", "quotas", `[{"name":"a"},{"name":"a"}]`, "quotas[1]"),
	)
	mistakes.CheckUpdate(t, binding, ValidateCredentialsBindingUpdate,
		R("the provider is fixed", "provider.type", `"b"`, "provider"),
		R("the credentials are fixed", "credentialsRef.name", `"b"`, "credentialsRef"),
		R("the quotas are fixed", "quotas", `[{"name":"a"}]`),
	)
	identity := func() *security.WorkloadIdentity {
		return &security.WorkloadIdentity{ObjectMeta: meta, Spec: security.WorkloadIdentitySpec{Audiences: []string{"a"}, TargetSystem: security.TargetSystem{Type: "a"}}, Status: security.WorkloadIdentityStatus{Sub: "s"}}
	}
	mistakes.CheckUpdate(t, identity, ValidateWorkloadIdentityUpdate,
		R("an identity has audiences", "spec.audiences", `[]`),
		R("audiences are named once and say something", "spec.audiences", `["a","a",""]`, "spec.audiences[1]", "spec.audiences[2]"),
		R("a target has one type", "spec.targetSystem.type", `"a,b"`),
		R("the type of the target is fixed", "spec.targetSystem.type", `"b"`),
		R("the subject is fixed", "status.sub", `"t"`),
		R("the subject is in ASCII", "status.sub", `"ä"`),
	)
	request := func() *security.TokenRequest { return &security.TokenRequest{} }
	mistakes.Check(t, request, ValidateTokenRequest,
		R("a token lives for at least ten minutes", "spec.expirationSeconds", `599`),
		R("a token does not live for ever", "spec.expirationSeconds", `4294967297`),
		R("an object is known exactly", "spec.contextObject", `{}`, "spec.contextObject.apiVersion", "spec.contextObject.kind", "spec.contextObject.name", "spec.contextObject.uid"),
	)
}
