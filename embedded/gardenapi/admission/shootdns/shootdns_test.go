package shootdns

import (
	"context"
	"errors"
	"strings"
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/initializer"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/internal/gardendomains"
)

func shoot(seed, domain string, providers ...core.DNSProvider) *core.Shoot {
	s := &core.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "garden-p", Name: "s"}}
	if seed != "" {
		s.Spec.SeedName = &seed
	}
	if domain != "" || providers != nil {
		s.Spec.DNS = &core.DNS{Providers: providers}
	}
	if domain != "" {
		s.Spec.DNS.Domain = &domain
	}
	return s
}

func generated(s *core.Shoot) *core.Shoot {
	s.Name, s.GenerateName = "", "s-"
	return s
}

// both is a shoot whose user wrote a name and a generateName, or whose name was made up earlier.
func both(s *core.Shoot) *core.Shoot {
	s.GenerateName = "s-"
	return s
}

func seed(name string, enabled *bool) *core.Seed {
	s := &core.Seed{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if enabled != nil {
		s.Spec.Settings = &core.SeedSettings{ShootDNS: &core.SeedSettingShootDNS{Enabled: *enabled}}
	}
	return s
}

func plugin(objects initializer.Objects, domains ...string) *Plugin {
	p := New()
	p.SetObjects(objects)
	p.SetDomains(func(context.Context) (out []gardendomains.Domain, err error) {
		for _, name := range domains {
			out = append(out, gardendomains.Domain{Name: name})
		}
		return out, nil
	})
	return p
}

var (
	project = &core.Project{ObjectMeta: metav1.ObjectMeta{Name: "p"}, Spec: core.ProjectSpec{Namespace: ptr.To("garden-p")}}
	all     = admissiontest.Objects{project, seed("on", nil), seed("yes", ptr.To(true)), seed("off", ptr.To(false))}
)

func provider(typ, secret string, primary ...bool) core.DNSProvider {
	p := core.DNSProvider{}
	if typ != "" {
		p.Type = &typ
	}
	if secret != "" {
		p.SecretName = &secret
	}
	for _, one := range primary {
		p.Primary = &one
	}
	return p
}

func TestAdmit(t *testing.T) {
	gone := shoot("on", "")
	gone.DeletionTimestamp = ptr.To(metav1.Now())
	stray := shoot("", "")
	stray.Namespace = "default"
	withRef := provider("t", "", false)
	withRef.CredentialsRef = &autoscalingv1.CrossVersionObjectReference{Name: "c"}
	for name, tc := range map[string]struct {
		request       admission.Attributes
		want, refused string
	}{
		"ADM-18 a shoot gets its place below the preferred domain":              {admissiontest.Create(shoot("", "")), "s.p.one.org", ""},
		"ADM-18 also when its seed is chosen":                                   {admissiontest.UpdateSub(shoot("on", ""), shoot("", ""), "binding"), "s.p.one.org", ""},
		"ADM-18 also when its seed says so":                                     {admissiontest.Create(shoot("yes", "")), "s.p.one.org", ""},
		"a shoot may choose another default domain":                             {admissiontest.Create(shoot("", "s.p.two.org")), "s.p.two.org", ""},
		"but not a place of another shoot":                                      {admissiontest.Create(shoot("", "x.p.two.org")), "x.p.two.org", "it must be s.p.two.org"},
		"nor the domain itself":                                                 {admissiontest.Create(shoot("", "two.org")), "two.org", "it must be s.p.two.org"},
		"no provider is primary for a default domain":                           {admissiontest.Create(shoot("", "s.p.two.org", provider("t", "s", true))), "s.p.two.org", "there cannot be a primary provider"},
		"a name that is made up may be in any place of the project":             {admissiontest.Create(generated(shoot("", "x.p.two.org"))), "x.p.two.org", ""},
		"but not of another project":                                            {admissiontest.Create(generated(shoot("", "x.q.two.org"))), "x.q.two.org", "it must be <name>.p.two.org"},
		"nor deeper":                                                            {admissiontest.Create(generated(shoot("", "x.y.p.two.org"))), "x.y.p.two.org", "it must be <name>"},
		"ADM-18 a generateName beside a name gives no place of another project": {admissiontest.Create(both(shoot("", "x.q.two.org"))), "x.q.two.org", "it must be s.p.two.org"},
		"ADM-18 nor when the domain changes":                                    {admissiontest.Update(both(shoot("on", "x.q.two.org")), both(shoot("on", ""))), "x.q.two.org", "it must be s.p.two.org"},
		"a name that was made up keeps its domain with a seed":                  {admissiontest.UpdateSub(both(shoot("on", "x.p.two.org")), both(shoot("", "x.p.two.org")), "binding"), "x.p.two.org", ""},
		"ADM-18 what nobody managed is no place of the shoot":                   {admissiontest.Update(shoot("on", "x.q.two.org"), shoot("on", "x.q.two.org", provider("unmanaged", ""))), "x.q.two.org", "it must be s.p.two.org"},
		"a domain of the user's stays":                                          {admissiontest.Create(shoot("", "a.com")), "a.com", ""},
		"DNS that nobody manages needs no domain":                               {admissiontest.Create(shoot("", "", provider("unmanaged", ""))), "", ""},
		"ADM-19 no DNS on a seed that disables it":                              {admissiontest.Create(shoot("off", "a.com")), "a.com", `DNS of shoots is disabled on seed "off"`},
		"ADM-19 nor a domain":                                                   {admissiontest.Create(shoot("off", "")), "", ""},
		"an unknown seed is for others to refuse":                               {admissiontest.Create(shoot("x", "")), "s.p.one.org", ""},
		"a namespace without project is, too":                                   {admissiontest.Create(stray), "", ""},
		"a further provider needs credentials":                                  {admissiontest.Create(shoot("on", "a.com", provider("t", "s", true), provider("t", "", false))), "a.com", "spec.dns.providers[1]"},
		"and a type":                                                            {admissiontest.Create(shoot("on", "a.com", provider("t", "s", true), provider("", "s", false))), "a.com", "spec.dns.providers[1]"},
		"either form of credentials":                                            {admissiontest.Create(shoot("on", "a.com", provider("t", "s", true), withRef)), "a.com", ""},
		"as long as there is no seed it does not matter":                        {admissiontest.Create(shoot("", "a.com", provider("t", "s", true), provider("t", "", false))), "a.com", ""},
		"a change of something else":                                            {admissiontest.Update(shoot("on", "x.p.two.org"), shoot("on", "x.p.two.org")), "x.p.two.org", ""},
		"a shoot that is being deleted":                                         {admissiontest.Update(gone, shoot("", "")), "", ""},
		"a change of the status":                                                {admissiontest.UpdateSub(shoot("on", ""), shoot("", ""), "status"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			admissiontest.WantError(t, admissiontest.Admit(plugin(all, "one.org", "two.org"), tc.request), tc.refused)
			if got := ptr.Deref(domainOf(tc.request.GetObject().(*core.Shoot)), ""); got != tc.want {
				t.Errorf("domain is %q, want %q", got, tc.want)
			}
		})
	}
	t.Run("a name that is made up gets a place that is made up", func(t *testing.T) {
		s := generated(shoot("", ""))
		admissiontest.WantError(t, admissiontest.Admit(plugin(all, "one.org"), admissiontest.Create(s)), "")
		if label, ok := strings.CutSuffix(*s.Spec.DNS.Domain, ".p.one.org"); !ok || len(label) != randomLabelLength {
			t.Errorf("domain is %q", *s.Spec.DNS.Domain)
		}
	})
	t.Run("a garden without default domains gives none", func(t *testing.T) {
		s := shoot("", "")
		admissiontest.WantError(t, admissiontest.Admit(plugin(all), admissiontest.Create(s)), "")
		if s.Spec.DNS != nil {
			t.Errorf("dns is %v", s.Spec.DNS)
		}
	})
	t.Run("the first provider becomes primary for a domain of the user's", func(t *testing.T) {
		s := shoot("", "a.com", provider("t", "s"), provider("u", "s"))
		admissiontest.WantError(t, admissiontest.Admit(plugin(all), admissiontest.Create(s)), "")
		if !isPrimary(s.Spec.DNS.Providers[0]) || isPrimary(s.Spec.DNS.Providers[1]) {
			t.Errorf("providers are %v", s.Spec.DNS.Providers)
		}
	})
	t.Run("other kinds", func(t *testing.T) {
		admissiontest.WantError(t, admissiontest.Admit(plugin(all), admissiontest.Create(project)), "")
	})
}

// noProjects fails to read projects.
type noProjects struct{ admissiontest.Objects }

func (noProjects) EachCached(context.Context, schema.GroupResource, string, func(runtime.Object) bool) error {
	return errors.New("boom")
}

func TestFailures(t *testing.T) {
	boom := plugin(all)
	boom.SetDomains(func(context.Context) ([]gardendomains.Domain, error) { return nil, errors.New("boom") })
	for name, tc := range map[string]struct {
		plugin *Plugin
		want   string
	}{
		"of looking up the seed":    {plugin(admissiontest.Broken{Err: errors.New("boom")}), "Internal error"},
		"of looking up the domains": {boom, "Internal error"},
		"of looking up the project": {plugin(noProjects{all}), "Internal error"},
		"of setting up":             {New(), "no source of domains"},
	} {
		t.Run(name, func(t *testing.T) {
			admissiontest.WantError(t, admissiontest.Admit(tc.plugin, admissiontest.Create(shoot("on", ""))), tc.want)
		})
	}
}
