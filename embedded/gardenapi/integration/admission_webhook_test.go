package integration

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// webhook makes an extension's webhook that gives shoots with a label an annotation, and counts its calls.
func webhook(t *testing.T, name, label string) *atomic.Int32 {
	t.Helper()
	calls := &atomic.Int32{}
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		calls.Add(1)
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		patch := fmt.Sprintf(`[{"op":"add","path":"/spec/purpose","value":"testing"},{"op":"add","path":"/metadata/annotations/%s","value":"called"}]`, name)
		review.Response = &admissionv1.AdmissionResponse{UID: review.Request.UID, Allowed: true, Patch: []byte(patch), PatchType: ptr.To(admissionv1.PatchTypeJSONPatch)}
		_ = json.NewEncoder(w).Encode(review)
	}))
	t.Cleanup(server.Close)
	create(t, &admissionregistrationv1.MutatingWebhookConfiguration{ObjectMeta: metav1.ObjectMeta{Name: name}, Webhooks: []admissionregistrationv1.MutatingWebhook{{
		Name: name + ".example.org", AdmissionReviewVersions: []string{"v1"}, SideEffects: ptr.To(admissionregistrationv1.SideEffectClassNone),
		ClientConfig: admissionregistrationv1.WebhookClientConfig{
			URL: &server.URL, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
		},
		ObjectSelector: &metav1.LabelSelector{MatchLabels: map[string]string{label: "true"}},
		Rules: []admissionregistrationv1.RuleWithOperations{{
			Operations: []admissionregistrationv1.OperationType{admissionregistrationv1.Create},
			Rule:       admissionregistrationv1.Rule{APIGroups: []string{core.GroupName}, APIVersions: []string{"v1beta1"}, Resources: []string{"shoots"}},
		}},
	}}})
	return calls
}

func TestWebhooks(t *testing.T) {
	p, profile := project(t), cloudProfile(t)
	own := webhook(t, "own", "provider.extensions.gardener.cloud/local")
	others := webhook(t, "others", "provider.extensions.gardener.cloud/aws")
	t.Run("ADM-32 EXT-25 an extension's webhook completes shoots with its label, and no others", func(t *testing.T) {
		eventually(t, func() error { // the configuration gets here by an informer
			if err := admin(t).Create(t.Context(), newShoot(p, profile), client.DryRunAll); err != nil {
				return err
			}
			if own.Load() == 0 {
				return errNotYet
			}
			return nil
		})
		s := create(t, newShoot(p, profile))
		if s.Annotations["own"] != "called" || ptr.Deref(s.Spec.Purpose, "") != core.ShootPurposeTesting || others.Load() > 0 {
			t.Errorf("annotations %v, purpose %v, calls of the other %d", s.Annotations, s.Spec.Purpose, others.Load())
		}
	})
}
