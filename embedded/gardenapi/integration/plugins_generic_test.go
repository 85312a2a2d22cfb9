package integration

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Labels by which trials choose webhooks and policies.
const (
	labelCompleted = "test.example.org/completed"
	labelRefused   = "test.example.org/refused"
)

// genericBehaviours are those of the plugins of every API server, which must know Gardener's kinds, too.
func genericBehaviours(t *testing.T, s *stage) map[string][]behaviour {
	webhook(t, "completes", labelCompleted)
	refusingWebhook(t)
	policies(t)
	full := project(t)
	hard := corev1.ResourceList{"count/shoots.core.gardener.cloud": resource.MustParse("0")}
	quota := create(t, &corev1.ResourceQuota{ObjectMeta: metav1.ObjectMeta{Name: "q", Namespace: *full.Spec.Namespace}, Spec: corev1.ResourceQuotaSpec{Hard: hard}})
	quota.Status = corev1.ResourceQuotaStatus{Hard: hard, Used: hard}
	if err := admin(t).Status().Update(t.Context(), quota); err != nil { // the quota controller would
		t.Fatal(err)
	}
	nowhere := func() *core.Quota {
		return &core.Quota{ObjectMeta: metav1.ObjectMeta{Namespace: "nowhere", Name: "q"}, Spec: core.QuotaSpec{
			Metrics: corev1.ResourceList{"cpu": resource.MustParse("1")}, Scope: corev1.ObjectReference{APIVersion: core.SchemeGroupVersion.String(), Kind: "Project"},
		}}
	}
	return map[string][]behaviour{
		"NamespaceLifecycle": {{"an object in a namespace that does not exist", refused(tryCreate(nowhere), `namespaces "nowhere" not found`)}},
		"ResourceQuota":      {{"ADM-11 more shoots than the quota allows", refused(tryCreate(func() *core.Shoot { return newShoot(full, s.profile) }), "exceeded quota")}},
		"MutatingAdmissionWebhook": {{"ADM-32 an extension's webhook completes shoots", creating(s.shoot(labelled(labelCompleted)), func(shoot *core.Shoot) bool {
			return shoot.Annotations["completes"] == "called"
		})}},
		"ValidatingAdmissionWebhook": {{"ADM-32 an extension's webhook refuses shoots", refused(tryCreate(s.shoot(labelled(labelRefused+"-webhook"))), "the extension says no")}},
		"ValidatingAdmissionPolicy":  {{"a policy refuses shoots", refused(tryCreate(s.shoot(labelled(labelRefused+"-policy"))), "the policy says no")}},
		"MutatingAdmissionPolicy": {{"a policy completes shoots", creating(s.shoot(labelled(labelCompleted+"-policy")), func(shoot *core.Shoot) bool {
			return shoot.Annotations["policy"] == "called"
		})}},
	}
}

func newShoots() []admissionregistrationv1.RuleWithOperations {
	return []admissionregistrationv1.RuleWithOperations{{
		Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
		Rule:       admissionregistrationv1.Rule{APIGroups: []string{core.GroupName}, APIVersions: []string{"v1beta1"}, Resources: []string{"shoots"}},
	}}
}

func refusingWebhook(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Result: &metav1.Status{Code: http.StatusForbidden, Message: "the extension says no"}}
		_ = json.NewEncoder(w).Encode(review)
	}))
	t.Cleanup(server.Close)
	create(t, &admissionregistrationv1.ValidatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: "refuses"}, Webhooks: []admissionregistrationv1.ValidatingWebhook{{
		Name: "refuses.example.org", AdmissionReviewVersions: []string{"v1"}, SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone),
		ClientConfig: admissionregistrationv1.WebhookClientConfig{
			URL: &server.URL, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		},
		ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{labelRefused + "-webhook": "true"}},
		Rules:          newShoots(),
	}}})
}

func policies(t *testing.T) {
	match := func(label string) *admissionregistrationv1.MatchResources {
		return &admissionregistrationv1.MatchResources{
			ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{label: "true"}},
			ResourceRules:  []admissionregistrationv1.NamedRuleWithOperations{{RuleWithOperations: newShoots()[0]}},
		}
	}
	name := metav1.ObjectMeta{Name: "plugins-test"}
	create(t, &admissionregistrationv1.ValidatingAdmissionPolicy{ObjectMeta: name, Spec: admissionregistrationv1.ValidatingAdmissionPolicySpec{
		MatchConstraints: match(labelRefused + "-policy"),
		Validations:      []admissionregistrationv1.Validation{{Expression: "false", Message: "the policy says no"}},
	}})
	create(t, &admissionregistrationv1.ValidatingAdmissionPolicyBinding{ObjectMeta: name, Spec: admissionregistrationv1.ValidatingAdmissionPolicyBindingSpec{
		PolicyName: name.Name, ValidationActions: []admissionregistrationv1.ValidationAction{admissionregistrationv1.Deny},
	}})
	create(t, &admissionregistrationv1.MutatingAdmissionPolicy{ObjectMeta: name, Spec: admissionregistrationv1.MutatingAdmissionPolicySpec{
		MatchConstraints: match(labelCompleted + "-policy"), ReinvocationPolicy: admissionregistrationv1.NeverReinvocationPolicy,
		Mutations: []admissionregistrationv1.Mutation{{PatchType: admissionregistrationv1.PatchTypeJSONPatch, JSONPatch: &admissionregistrationv1.JSONPatch{
			Expression: `[JSONPatch{op: "add", path: "/metadata/annotations", value: {"policy": "called"}}]`,
		}}},
	}})
	create(t, &admissionregistrationv1.MutatingAdmissionPolicyBinding{ObjectMeta: name, Spec: admissionregistrationv1.MutatingAdmissionPolicyBindingSpec{PolicyName: name.Name}})
}
