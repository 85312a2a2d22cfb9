package controllerregistrationresources

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
)

func registration(name string, resources ...core.ControllerResource) *core.ControllerRegistration {
	return &core.ControllerRegistration{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: core.ControllerRegistrationSpec{Resources: resources}}
}

func TestValidate(t *testing.T) {
	infrastructure := core.ControllerResource{Kind: "Infrastructure", Type: "local"}
	worker := core.ControllerResource{Kind: "Worker", Type: "local"}
	secondary := core.ControllerResource{Kind: "Infrastructure", Type: "local", Primary: ptr.To(false)}
	deleting := registration("b", infrastructure)
	deleting.DeletionTimestamp = ptr.To(metav1.Now())
	for name, tc := range map[string]struct {
		present admissiontest.Objects
		request admission.Attributes
		refused string
	}{
		"ADM-3 a kind and type has one primary registration": {admissiontest.Objects{registration("a", infrastructure)}, admissiontest.Create(registration("b", infrastructure)), `"a" is already primary for kind Infrastructure, type local`},
		"ADM-3 also when it is added later":                  {admissiontest.Objects{registration("a", infrastructure)}, admissiontest.Update(registration("b", worker, infrastructure), registration("b", worker)), `"a" is already primary`},
		"what a registration has already it keeps":           {admissiontest.Objects{registration("a", infrastructure)}, admissiontest.Update(registration("b", infrastructure), registration("b", infrastructure)), ""},
		"a second registration may be secondary":             {admissiontest.Objects{registration("a", infrastructure)}, admissiontest.Create(registration("b", secondary)), ""},
		"the first may be secondary":                         {admissiontest.Objects{registration("a", secondary)}, admissiontest.Create(registration("b", infrastructure)), ""},
		"another kind of the same type":                      {admissiontest.Objects{registration("a", worker)}, admissiontest.Create(registration("b", infrastructure)), ""},
		"a registration does not exclude itself":             {admissiontest.Objects{registration("a", infrastructure)}, admissiontest.Create(registration("a", infrastructure)), ""},
		"one that is being deleted does not matter":          {admissiontest.Objects{registration("a", infrastructure)}, admissiontest.Update(deleting, registration("b")), ""},
		"other kinds do not matter":                          {nil, admissiontest.Create(&core.Seed{}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(tc.present)
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), tc.refused)
		})
	}
	t.Run("a failed look-up is an internal error", func(t *testing.T) {
		p := admissiontest.New[*Plugin](Register)
		p.SetObjects(admissiontest.Broken{Err: errors.New("boom")})
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(registration("b", infrastructure))), "Internal error")
	})
	t.Run("it needs a reader of objects", func(t *testing.T) {
		p := admissiontest.New[*Plugin](Register)
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(registration("b", infrastructure))), "no reader")
	})
}
