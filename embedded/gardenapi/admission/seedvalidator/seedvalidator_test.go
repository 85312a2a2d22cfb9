package seedvalidator

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
)

func seed(zones ...string) *core.Seed {
	return &core.Seed{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Spec: core.SeedSpec{Provider: core.SeedProvider{Zones: zones}}}
}

func TestValidate(t *testing.T) {
	wanted := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "a"}, Spec: core.ShootSpec{SeedName: ptr.To("s")}}
	moving := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "b"}, Spec: core.ShootSpec{SeedName: ptr.To("t")}, Status: core.ShootStatus{SeedName: ptr.To("s")}}
	elsewhere := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "c"}, Spec: core.ShootSpec{SeedName: ptr.To("t")}}
	for name, tc := range map[string]struct {
		shoot   *core.Shoot
		request admission.Attributes
		refused string
	}{
		"ADM-17 a seed with a shoot":                 {wanted, admissiontest.Delete(seed()), "cannot be deleted: it is used by shoot garden-p/a"},
		"ADM-17 a seed that a shoot is just leaving": {moving, admissiontest.Delete(seed()), "garden-p/b"},
		"ADM-17 a seed without shoots":               {elsewhere, admissiontest.Delete(seed()), ""},
		"a zone of a seed with a shoot":              {wanted, admissiontest.Update(seed("x"), seed("x", "y", "z")), "zones [y z] cannot be removed"},
		"a zone of a seed without shoots":            {elsewhere, admissiontest.Update(seed("x"), seed("x", "y")), ""},
		"a further zone":                             {wanted, admissiontest.Update(seed("x", "y"), seed("x")), ""},
		"a change of the status":                     {wanted, admissiontest.UpdateSub(seed(), seed("x"), "status"), ""},
		"other kinds":                                {wanted, admissiontest.Delete(wanted), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(admissiontest.Objects{tc.shoot})
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), tc.refused)
		})
	}
	t.Run("a failed look-up is an internal error", func(t *testing.T) {
		p := admissiontest.New[*Plugin](Register)
		p.SetObjects(admissiontest.Broken{Err: errors.New("boom")})
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Delete(seed())), "Internal error")
	})
}
