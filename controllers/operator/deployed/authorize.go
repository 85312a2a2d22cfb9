package deployed

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	apiserverv1 "k8s.io/apiserver/pkg/apis/apiserver/v1"
	"sigs.k8s.io/yaml"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedauthorizer"
	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/seedidentity"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/access"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubeapiserver"
)

const (
	// authorizer is the name of the authorizer that decides for gardenlets.
	authorizer = "seed-authorizer"
	// authorizerUser is the API server that asks it.
	authorizerUser = "gardener.cloud:system:seed-authorizer"
)

// authorize makes the API server ask the admission controller about requests of gardenlets, after RBAC and before what the Garden adds.
// It gets no other requests, so it delays no other user. Decisions are not cached, because a gardenlet loses its rights with the last
// object that connects it.
func (r run) authorize(values *kubeapiserver.Values) error {
	document := apiserverv1.AuthorizationConfiguration{TypeMeta: metav1.TypeMeta{APIVersion: apiserverv1.SchemeGroupVersion.String(), Kind: "AuthorizationConfiguration"}}
	if values.Authorization == nil {
		values.Authorization = &kubeapiserver.Authorization{Kubeconfigs: map[string][]byte{}}
	} else if err := yaml.UnmarshalStrict([]byte(values.Authorization.Document), &document); err != nil {
		return fmt.Errorf("read authorization configuration: %w", err)
	}
	document.Authorizers = append([]apiserverv1.AuthorizerConfiguration{forSeeds()}, document.Authorizers...)
	raw, err := yaml.Marshal(document)
	if err != nil {
		return fmt.Errorf("encode authorization configuration: %w", err)
	}
	values.Authorization.Document = string(raw)
	server := fmt.Sprintf("https://%s.%s.svc:%d%s", gardenerAdmission, r.Namespace, portAdmission, seedauthorizer.Path)
	values.Authorization.Kubeconfigs[authorizer] = access.CertificateKubeconfigData(
		access.Cluster{Name: authorizer, Server: server, CA: r.bundle(secretCAGardener)}, r.made.authorizer)
	return nil
}

func forSeeds() apiserverv1.AuthorizerConfiguration {
	const second = 1e9
	no, brief := false, metav1.Duration{Duration: second}
	return apiserverv1.AuthorizerConfiguration{Type: string(apiserverv1.TypeWebhook), Name: authorizer, Webhook: &apiserverv1.WebhookConfiguration{
		AuthorizedTTL: brief, CacheAuthorizedRequests: &no, UnauthorizedTTL: brief, CacheUnauthorizedRequests: &no,
		Timeout: metav1.Duration{Duration: 10 * second}, SubjectAccessReviewVersion: "v1", MatchConditionSubjectAccessReviewVersion: "v1",
		FailurePolicy:   apiserverv1.FailurePolicyDeny,
		MatchConditions: []apiserverv1.WebhookMatchCondition{{Expression: fmt.Sprintf("'%s' in request.groups", seedidentity.Group)}},
	}}
}
