package deletionconfirmation

import (
	"errors"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

func named(value string) metav1.ObjectMeta {
	m := metav1.ObjectMeta{Name: "x"}
	if value != "" {
		m.Annotations = map[string]string{"confirmation.gardener.cloud/deletion": value}
	}
	return m
}

// byName is a request that knows the name of the object only; without name it is for a collection.
func byName(name string) admission.Attributes {
	return admission.NewAttributesRecord(nil, nil, core.SchemeGroupVersion.WithKind("Shoot"), "", name, core.SchemeGroupVersion.WithResource("shoots"), "", admission.Delete, &metav1.DeleteOptions{}, false, nil)
}

func TestValidate(t *testing.T) {
	const missing = "must have the annotation confirmation.gardener.cloud/deletion=true"
	for name, tc := range map[string]struct {
		objects initializer.Objects
		request admission.Attributes
		refused string
	}{
		"ADM-5 a shoot":                             {nil, admissiontest.Delete(&core.Shoot{ObjectMeta: named("")}), missing},
		"ADM-5 a project":                           {nil, admissiontest.Delete(&core.Project{ObjectMeta: named("")}), missing},
		"ADM-5 a state of a shoot":                  {nil, admissiontest.Delete(&core.ShootState{ObjectMeta: named("")}), missing},
		"ADM-5 one that denies":                     {nil, admissiontest.Delete(&core.Shoot{ObjectMeta: named("false")}), missing},
		"ADM-5 one that confirms":                   {nil, admissiontest.Delete(&core.Shoot{ObjectMeta: named("true")}), ""},
		"MIG-1 one that moves to another seed":      {nil, admissiontest.Delete(&core.Shoot{ObjectMeta: named("true"), Spec: core.ShootSpec{SeedName: ptr.To("b")}, Status: core.ShootStatus{SeedName: ptr.To("a")}}), "is being migrated to another seed"},
		"ADM-5 one that has to be looked up":        {admissiontest.Objects{&core.Shoot{ObjectMeta: named("")}}, byName("x"), missing},
		"one that has to be looked up and confirms": {admissiontest.Objects{&core.Shoot{ObjectMeta: named("true")}}, byName("x"), ""},
		"one that does not exist":                   {admissiontest.Objects{}, byName("x"), ""},
		"a collection before its objects":           {admissiontest.Broken{Err: errors.New("boom")}, byName(""), ""},
		"a failed look-up is an internal error":     {admissiontest.Broken{Err: errors.New("boom")}, byName("x"), "Internal error"},
		"other kinds":                               {nil, admissiontest.Delete(runtime.Object(&core.Seed{ObjectMeta: named("")})), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := admissiontest.New[*Plugin](Register)
			if tc.objects == nil {
				tc.objects = admissiontest.Objects{}
			}
			p.SetObjects(tc.objects)
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), tc.refused)
		})
	}
	t.Run("it needs a reader of objects", func(t *testing.T) {
		admissiontest.WantError(t, admissiontest.Admit(admissiontest.New[*Plugin](Register), byName("x")), "no reader")
	})
}
