package shoottolerationrestriction

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

// list reads tolerations such as "a b=c".
func list(text string) []core.Toleration {
	var out []core.Toleration
	for _, one := range strings.Fields(text) {
		toleration := core.Toleration{Key: one}
		if key, value, ok := strings.Cut(one, "="); ok {
			toleration = core.Toleration{Key: key, Value: &value}
		}
		out = append(out, toleration)
	}
	return out
}

func shoot(tolerations string) *core.Shoot {
	return &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s"}, Spec: core.ShootSpec{Tolerations: list(tolerations)}}
}

func project(defaults, whitelist string) *core.Project {
	return &core.Project{Spec: core.ProjectSpec{
		Namespace:   ptr.To("garden-p"),
		Tolerations: &core.ProjectTolerations{Defaults: list(defaults), Whitelist: list(whitelist)},
	}}
}

func TestDefaults(t *testing.T) {
	for name, tc := range map[string]struct {
		project              *core.Project
		global, shoot, wants string
	}{
		"ADM-23 those of the project and of the garden are added": {project("a b=c", "a b"), "d", "", "a b=c d"},
		"ADM-23 a key that is there stays":                        {project("a b=c", "a b"), "b=e", "b=d", "b=d a"},
		"the project's come first":                                {project("a=1", "a"), "a=2", "", "a=1"},
		"a project without tolerations":                           {&core.Project{Spec: core.ProjectSpec{Namespace: ptr.To("garden-p")}}, "d", "", "d"},
		"no project":                                              {&core.Project{}, "d", "", "d"},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(Configuration{Defaults: list(tc.global), Whitelist: list("a b d")})
			p.SetObjects(admissiontest.Objects{tc.project})
			s := shoot(tc.shoot)
			admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Create(s)), "")
			if diff := cmp.Diff(list(tc.wants), s.Spec.Tolerations); diff != "" {
				t.Errorf("tolerations (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("existing shoots get none", func(t *testing.T) {
		p := New(Configuration{Defaults: list("d")})
		p.SetObjects(admissiontest.Objects{project("a", "")})
		s := shoot("")
		admissiontest.WantError(t, admissiontest.Admit(p, admissiontest.Update(s, shoot(""))), "")
		if len(s.Spec.Tolerations) > 0 {
			t.Errorf("tolerations are %v", s.Spec.Tolerations)
		}
	})
}

func TestWhitelist(t *testing.T) {
	deleting := shoot("x")
	deleting.DeletionTimestamp = ptr.To(metav1.Now())
	operators := shoot("seed.gardener.cloud/protected")
	operators.Namespace = "garden"
	for name, tc := range map[string]struct {
		request admission.Attributes
		refused string
	}{
		"ADM-22 TOL-4 in no list":                    {admissiontest.Create(shoot("a x y=z")), "[spec.tolerations[1]: Forbidden: toleration x is not whitelisted, spec.tolerations[2]: Forbidden: toleration y=z is not whitelisted]"},
		"ADM-22 TOL-4 in the list of the project":    {admissiontest.Create(shoot("a")), ""},
		"ADM-22 TOL-4 in the list of the garden":     {admissiontest.Create(shoot("g")), ""},
		"a key without value permits all its values": {admissiontest.Create(shoot("a=1")), ""},
		"a value permits only itself":                {admissiontest.Create(shoot("b=d")), "b=d is not"},
		"a value does not permit all values":         {admissiontest.Create(shoot("b")), "toleration b is not"},
		"the value itself":                           {admissiontest.Create(shoot("b=c")), ""},
		"ADM-22 adding one later":                    {admissiontest.Update(shoot("a x"), shoot("a")), "toleration x"},
		"an existing shoot keeps what it has":        {admissiontest.Update(shoot("x a"), shoot("x")), ""},
		"a shoot that is being deleted":              {admissiontest.Update(deleting, shoot("")), ""},
		"subresources cannot change tolerations":     {admissiontest.UpdateSub(shoot("x"), shoot(""), "status"), ""},
		"TOL-5 protected seeds are for nobody else":  {admissiontest.Create(shoot("seed.gardener.cloud/protected")), "toleration seed.gardener.cloud/protected"},
		"TOL-5 protected seeds are for the garden":   {admissiontest.Create(operators), ""},
		"other kinds": {admissiontest.Create(&core.Seed{}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := New(Configuration{Whitelist: list("g")})
			p.SetObjects(admissiontest.Objects{project("", "a b=c")})
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), tc.refused)
		})
	}
	for _, request := range []admission.Attributes{admissiontest.Create(shoot("a")), admissiontest.Update(shoot("a"), shoot(""))} {
		t.Run("a failed look-up is an internal error on "+string(request.GetOperation()), func(t *testing.T) {
			p := New(Configuration{})
			p.SetObjects(admissiontest.Broken{Err: errors.New("boom")})
			admissiontest.WantError(t, admissiontest.Admit(p, request), "Internal error")
		})
	}
}

func TestConfiguration(t *testing.T) {
	const head = "apiVersion: shoottolerationrestriction.admission.gardener.cloud/v1alpha1\nkind: "
	for name, tc := range map[string]struct{ text, refused string }{
		"ADM-22 defaults and whitelist":     {head + "Configuration\ndefaults: [{key: a}]\nwhitelist: [{key: a}, {key: a, value: b}]\n", ""},
		"the long name of the kind":         {head + "ShootTolerationRestrictionConfiguration\n", ""},
		"a default without key":             {head + "Configuration\ndefaults: [{value: a}]\n", "defaults[0].key is required"},
		"a permission that is given twice":  {head + "Configuration\nwhitelist: [{key: a}, {key: a}]\n", "whitelist[1] repeats a"},
		"a configuration for somebody else": {"apiVersion: v1\nkind: Secret\n", "not shoottolerationrestriction"},
	} {
		t.Run(name, func(t *testing.T) {
			plugins := admission.NewPlugins()
			Register(plugins)
			_, err := plugins.InitPlugin(PluginName, strings.NewReader(tc.text), initializer.Initializer{Objects: admissiontest.Objects{}})
			admissiontest.WantError(t, err, tc.refused)
		})
	}
}
