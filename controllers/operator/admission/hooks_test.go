package admission

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
	operatorvalidation "github.com/gardener-up/gardener-up/embedded/apivalidation/operator"
)

func request(t *testing.T, operation admissionv1.Operation, object, old *operatorv1alpha1.Garden) admission.Request {
	t.Helper()
	r := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Operation: operation}}
	for garden, raw := range map[*operatorv1alpha1.Garden]*runtime.RawExtension{object: &r.Object, old: &r.OldObject} {
		if garden == nil {
			continue
		}
		text, err := json.Marshal(garden)
		if err != nil {
			t.Fatal(err)
		}
		raw.Raw = text
	}
	return r
}

func TestHandle(t *testing.T) {
	invalid := &operatorv1alpha1.Garden{}
	annotated := &operatorv1alpha1.Garden{ObjectMeta: metav1.ObjectMeta{Annotations: map[string]string{"confirmation.gardener.cloud/deletion": "true"}}}
	changed := &operatorv1alpha1.Garden{}
	changed.Spec.VirtualCluster.Gardener.ClusterIdentity = "example"
	named := func(name string, change func(*operatorv1alpha1.Garden)) *operatorv1alpha1.Garden {
		garden := annotated.DeepCopy()
		garden.Name = name
		change(garden)
		return garden
	}
	heldUp := func(_ context.Context, garden *operatorv1alpha1.Garden) (string, error) {
		switch garden.Name {
		case "seeded":
			return "the garden has Seeds", nil
		case "silent":
			return "", errors.New("nobody can tell")
		}
		return "", nil
	}
	for name, tc := range map[string]struct {
		operation   admissionv1.Operation
		object, old *operatorv1alpha1.Garden
		refused     string // empty: allowed
	}{
		"OPR-27 a new Garden is validated":                        {admissionv1.Create, invalid, nil, "spec.virtualCluster.dns.domains"},
		"OPR-27 a change is validated":                            {admissionv1.Update, changed, invalid, "spec.virtualCluster.gardener.clusterIdentity"},
		"metadata of a Garden that has become invalid can change": {admissionv1.Update, annotated, invalid, ""},
		"OPR-27 a deletion must be confirmed":                     {admissionv1.Delete, nil, invalid, "confirmation.gardener.cloud/deletion"},
		"a confirmed deletion is allowed":                         {admissionv1.Delete, nil, annotated, ""},
		"OPR-39 a Garden with Seeds is not marked for deletion":   {admissionv1.Delete, nil, named("seeded", func(*operatorv1alpha1.Garden) {}), "the garden has Seeds"},
		"OPR-39 nor is one of which nobody can tell":              {admissionv1.Delete, nil, named("silent", func(*operatorv1alpha1.Garden) {}), "nobody can tell"},
		"OPR-39 a Garden that is marked goes when it can": {admissionv1.Delete, nil, named("seeded", func(g *operatorv1alpha1.Garden) {
			g.DeletionTimestamp = ptr.To(metav1.Now())
		}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			answer := validator{operatorvalidation.Host{}, heldUp}.Handle(t.Context(), request(t, tc.operation, tc.object, tc.old))
			if answer.Allowed != (tc.refused == "") || !strings.Contains(answer.Result.Message, tc.refused) {
				t.Errorf("allowed %v: %s", answer.Allowed, answer.Result.Message)
			}
		})
	}
	t.Run("what is no Garden is refused", func(t *testing.T) {
		broken := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Operation: admissionv1.Create, Object: runtime.RawExtension{Raw: []byte("{")}}}
		if answer := (validator{}).Handle(t.Context(), broken); answer.Allowed {
			t.Error("allowed")
		}
	})
	t.Run("OPR-27 omitted fields are filled", func(t *testing.T) {
		answer := Hooks(operatorvalidation.Host{}, heldUp)[0].Handler.Handle(t.Context(), request(t, admissionv1.Create, invalid, nil))
		if !answer.Allowed || len(answer.Patches) == 0 {
			t.Errorf("answer %+v", answer)
		}
	})
}
