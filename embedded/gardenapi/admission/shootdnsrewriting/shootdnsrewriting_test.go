package shootdnsrewriting

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apiserver/pkg/admission"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
)

func shoot(suffixes ...string) *core.Shoot {
	s := &core.Shoot{}
	s.Spec.Provider.Workers = []core.Worker{{}}
	if suffixes != nil {
		s.Spec.SystemComponents = &core.SystemComponents{CoreDNS: &core.CoreDNS{Rewriting: &core.CoreDNSRewriting{CommonSuffixes: suffixes}}}
	}
	return s
}

func plugin(t *testing.T, text string) (admission.Interface, error) {
	t.Helper()
	plugins := admission.NewPlugins()
	Register(plugins)
	return plugins.InitPlugin(PluginName, strings.NewReader(text), initializer.Initializer{})
}

const head = "apiVersion: shootdnsrewriting.admission.gardener.cloud/v1alpha1\nkind: Configuration\n"

func TestAdmit(t *testing.T) {
	without := shoot()
	without.Spec.Provider.Workers = nil
	refusing := shoot()
	refusing.ObjectMeta = metav1.ObjectMeta{Annotations: map[string]string{disabled: "true"}}
	for name, tc := range map[string]struct {
		request admission.Attributes
		want    []string
	}{
		"a new shoot gets the common suffixes":  {admissiontest.Create(shoot()), []string{"a.b", ".c.d"}},
		"what it has already comes first, once": {admissiontest.Create(shoot("x.y", "c.d")), []string{"x.y", "c.d", "a.b"}},
		"an existing shoot stays as it is":      {admissiontest.Update(shoot("x.y"), shoot("x.y")), []string{"x.y"}},
		"a shoot without workers":               {admissiontest.Create(without), nil},
		"a shoot that wants no rewriting":       {admissiontest.Create(refusing), nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := plugin(t, head+"commonSuffixes: [a.b, .c.d]\n")
			if err != nil {
				t.Fatal(err)
			}
			admissiontest.WantError(t, admissiontest.Admit(p, tc.request), "")
			var got []string
			if components := tc.request.GetObject().(*core.Shoot).Spec.SystemComponents; components != nil {
				got = components.CoreDNS.Rewriting.CommonSuffixes
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("suffixes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestConfiguration(t *testing.T) {
	for name, tc := range map[string]struct{ text, refused string }{
		"none":                {"", ""},
		"no name of a domain": {head + "commonSuffixes: [\"a b\"]\n", "commonSuffixes[0]"},
		"another plugin's":    {"apiVersion: a\nkind: b\n", "is a b"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := plugin(t, tc.text)
			admissiontest.WantError(t, err, tc.refused)
		})
	}
}
