package plantvalidator

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

func TestAdmit(t *testing.T) {
	project := &core.Project{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: core.ProjectSpec{Namespace: ptr.To("garden-p")}}
	deleting := project.DeepCopy()
	deleting.DeletionTimestamp = ptr.To(metav1.Now())
	for name, tc := range map[string]struct {
		objects       initializer.Objects
		want, refused string
	}{
		"ADM-9 a plant tells who created it":                    {admissiontest.Objects{project}, admissiontest.User, ""},
		"ADM-9 a project that is being deleted takes no plants": {admissiontest.Objects{deleting}, "", `project "p" is being deleted`},
		"a namespace without project":                           {admissiontest.Objects{}, admissiontest.User, ""},
		"a failed look-up is an internal error":                 {admissiontest.Broken{Err: errors.New("boom")}, "", "Internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(tc.objects)
			plant := &core.Plant{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "x"}}
			admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(plant)), tc.refused)
			if got := plant.Annotations["gardener.cloud/created-by"]; got != tc.want {
				t.Errorf("creator is %q, want %q", got, tc.want)
			}
		})
	}
	t.Run("other kinds", func(t *testing.T) {
		p := admissiontest.New[*Plugin](Register)
		p.SetObjects(admissiontest.Objects{})
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(project)), "")
	})
}
