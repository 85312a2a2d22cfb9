package namespacedeletion_test

import (
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/namespacedeletion"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// FuzzHandler looks for a request that deletes the namespace of a project, or for one that is refused without reason.
func FuzzHandler(f *testing.F) {
	f.Add("garden-p", "p", "DELETE")
	f.Add("", "garden-p", "CREATE")
	f.Fuzz(func(t *testing.T, name, namespace, operation string) {
		project := &core.Project{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: core.ProjectSpec{Namespace: ptr.To("garden-p")}}
		request := admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Name: name, Namespace: namespace, Operation: admissionv1.Operation(operation)}}
		if got := (namespacedeletion.Handler{Reader: reader(t, project)}).Handle(t.Context(), request).Allowed; got == (name == "garden-p") {
			t.Errorf("namespace %q: allowed is %t", name, got)
		}
	})
}
