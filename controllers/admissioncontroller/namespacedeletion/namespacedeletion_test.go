package namespacedeletion_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	"github.com/gardener-up/gardener-up/controllers/admissioncontroller/namespacedeletion"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/install"
)

func TestHandler(t *testing.T) {
	project := func(deleted bool) *core.Project {
		p := &core.Project{ObjectMeta: metav1.ObjectMeta{Name: "p", Finalizers: []string{"gardener"}}, Spec: core.ProjectSpec{Namespace: ptr.To("garden-p")}}
		if deleted {
			p.DeletionTimestamp = ptr.To(metav1.Now())
		}
		return p
	}
	other := project(false)
	other.Name, other.Spec.Namespace = "other", ptr.To("garden-other")
	shoot := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s"}}
	elsewhere := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-other", Name: "s"}}
	for name, tc := range map[string]struct {
		objects []client.Object
		refused string
	}{
		"GAC-3 the namespace of a project stays":                           {objects: []client.Object{project(false)}, refused: `belongs to project "p"`},
		"GAC-3 the namespace of a deleted project with shoots stays":       {objects: []client.Object{project(true), shoot}, refused: `such as "s"`},
		"GAC-3 the namespace of a deleted project without shoots may go":   {objects: []client.Object{project(true), elsewhere}},
		"GAC-3 a namespace with shoots and without a project stays":        {objects: []client.Object{other, shoot}, refused: "still contains shoots"},
		"GAC-3 a namespace without both may go, whatever others there are": {objects: []client.Object{other, elsewhere}},
	} {
		t.Run(name, func(t *testing.T) {
			response := namespacedeletion.Handler{Reader: reader(t, tc.objects...)}.Handle(t.Context(), request())
			if response.Allowed != (tc.refused == "") || !response.Allowed && !strings.Contains(response.Result.Message, tc.refused) {
				t.Errorf("allowed: %t, %v", response.Allowed, response.Result)
			}
		})
	}
	t.Run("GAC-3 a garden that cannot be read refuses", func(t *testing.T) {
		broken := interceptor.NewClient(reader(t), interceptor.Funcs{List: func(context.Context, client.WithWatch, client.ObjectList, ...client.ListOption) error { return errBoom }})
		if response := (namespacedeletion.Handler{Reader: broken}).Handle(t.Context(), request()); response.Allowed {
			t.Error("allowed")
		}
	})
}

var errBoom = errors.New("boom")

func request() admission.Request {
	return admission.Request{AdmissionRequest: admissionv1.AdmissionRequest{Operation: admissionv1.Delete, Name: "garden-p"}}
}

func reader(t *testing.T, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := install.AddGarden(scheme); err != nil {
		t.Fatal(err)
	}
	return fake.NewClientBuilder().WithScheme(scheme).WithObjects(objects...).WithIndex(&core.Project{}, "spec.namespace", func(object client.Object) []string {
		return []string{ptr.Deref(object.(*core.Project).Spec.Namespace, "")}
	}).Build()
}
