package managedseedshoot

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	seedmanagement "github.com/gardener-up/gardener-up/embedded/apis/seedmanagement/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

func TestValidate(t *testing.T) {
	seed := &seedmanagement.ManagedSeed{ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: "s"}}
	on := func(name string) *core.Shoot {
		return &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "a"}, Spec: core.ShootSpec{SeedName: ptr.To(name)}}
	}
	for name, tc := range map[string]struct {
		objects initializer.Objects
		request admission.Attributes
		refused string
	}{
		"ADM-31 a seed with a shoot is kept":    {admissiontest.Objects{on("s")}, admissiontest.Delete(seed), "used by shoot garden-p/a"},
		"ADM-31 a seed without shoots may go":   {admissiontest.Objects{on("t")}, admissiontest.Delete(seed), ""},
		"other kinds":                           {admissiontest.Objects{on("s")}, admissiontest.Delete(on("s")), ""},
		"a failed look-up is an internal error": {admissiontest.Broken{Err: errors.New("boom")}, admissiontest.Delete(seed), "Internal error"},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(tc.objects)
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), tc.refused)
		})
	}
}
