package shootexposureclass

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

func selector(labels map[string]string, types ...string) *core.SeedSelector {
	return &core.SeedSelector{LabelSelector: metav1.LabelSelector{MatchLabels: labels}, ProviderTypes: types}
}

func expression(s *core.SeedSelector, keys ...string) *core.SeedSelector {
	for _, key := range keys {
		s.MatchExpressions = append(s.MatchExpressions, metav1.LabelSelectorRequirement{Key: key, Operator: metav1.LabelSelectorOpExists})
	}
	return s
}

func shoot(selector *core.SeedSelector, tolerations ...core.Toleration) *core.Shoot {
	return &core.Shoot{
		ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s"},
		Spec:       core.ShootSpec{ExposureClassName: ptr.To("c"), SeedSelector: selector, Tolerations: tolerations},
	}
}

func TestAdmit(t *testing.T) {
	a, b := core.Toleration{Key: "a"}, core.Toleration{Key: "b", Value: ptr.To("c")}
	of := func(s *core.SeedSelector, tolerations ...core.Toleration) *core.ExposureClassScheduling {
		return &core.ExposureClassScheduling{SeedSelector: s, Tolerations: tolerations}
	}
	for name, tc := range map[string]struct {
		class       *core.ExposureClassScheduling
		shoot, want *core.Shoot
		refused     string
	}{
		"ADM-6 a shoot takes over the selector and tolerations": {of(selector(map[string]string{"x": "y"}), a), shoot(nil), shoot(selector(map[string]string{"x": "y"}), a), ""},
		"ADM-6 both selectors are demanded": {of(expression(selector(map[string]string{"x": "y"}, "local"), "e", "f"), a, b),
			shoot(expression(selector(map[string]string{"u": "v"}), "e"), b), shoot(expression(selector(map[string]string{"u": "v", "x": "y"}, "local"), "e", "f"), b, a), ""},
		"a selector without labels":            {of(selector(map[string]string{"x": "y"})), shoot(selector(nil, "local")), shoot(selector(map[string]string{"x": "y"}, "local")), ""},
		"a label that cannot have both values": {of(selector(map[string]string{"x": "y"})), shoot(selector(map[string]string{"x": "z"})), nil, `label x must be "z" and "y"`},
		"provider types that differ":           {of(selector(nil, "local")), shoot(selector(nil, "aws")), nil, "provider types are [aws] and [local]"},
		"a class that demands nothing":         {nil, shoot(nil), shoot(nil), ""},
		"a class that only has tolerations":    {of(nil, a), shoot(nil), shoot(nil, a), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(admissiontest.Objects{&core.ExposureClass{ObjectMeta: metav1.ObjectMeta{Name: "c"}, Handler: "h", Scheduling: tc.class}})
			admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(tc.shoot)), tc.refused)
			if tc.want != nil {
				if diff := cmp.Diff(tc.want, tc.shoot); diff != "" {
					t.Errorf("shoot (-want +got):\n%s", diff)
				}
			}
		})
	}
	for name, tc := range map[string]struct {
		objects initializer.Objects
		request admission.Attributes
		refused string
	}{
		"a class that does not exist":                     {admissiontest.Objects{}, admissiontest.Create(shoot(nil)), "spec.exposureClassName: Not found"},
		"a failed look-up is an internal error":           {admissiontest.Broken{Err: errors.New("boom")}, admissiontest.Create(shoot(nil)), "Internal error"},
		"a shoot without class":                           {admissiontest.Objects{}, admissiontest.Create(&core.Shoot{}), ""},
		"a later change of the class is no new placement": {admissiontest.Objects{}, admissiontest.Update(shoot(nil), shoot(nil)), ""},
		"other kinds": {admissiontest.Objects{}, admissiontest.Create(&core.Seed{}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			p.SetObjects(tc.objects)
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), tc.refused)
		})
	}
}
