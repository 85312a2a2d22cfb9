package projectvalidator

import (
	"testing"

	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
)

func TestValidate(t *testing.T) {
	project := func(namespace *string) *core.Project {
		return &core.Project{Spec: core.ProjectSpec{Namespace: namespace}}
	}
	for name, tc := range map[string]struct {
		request admission.Attributes
		refused string
	}{
		"ADM-10 another namespace":           {admissiontest.Create(project(ptr.To("foo"))), `"foo" must begin with garden-`},
		"a namespace of a project":           {admissiontest.Create(project(ptr.To("garden-foo"))), ""},
		"no namespace: one will be made":     {admissiontest.Create(project(nil)), ""},
		"the garden itself":                  {admissiontest.Create(project(ptr.To("garden"))), ""},
		"an existing project stays as it is": {admissiontest.Update(project(ptr.To("foo")), project(ptr.To("foo"))), ""},
		"other kinds":                        {admissiontest.Create(&core.Seed{}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			admissiontest.WantError(t, admissiontest.Admit(admissiontest.New[*Plugin](Register), tc.request), tc.refused)
		})
	}
}
