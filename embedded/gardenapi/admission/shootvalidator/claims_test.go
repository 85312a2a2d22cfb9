package shootvalidator

import (
	"context"
	"testing"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
	"github.com/gardener-up/gardener-up/embedded/testwait"
)

// TestDomainsAtOnce is about requests that overlap: none of the shoots is stored when the next one is decided about.
func TestDomainsAtOnce(t *testing.T) {
	named := func(name, domain string) *core.Shoot {
		return shoot(func(s *core.Shoot) { s.Name, s.Spec.DNS = name, &core.DNS{Domain: &domain} })
	}
	generated := func(domain string) *core.Shoot {
		s := named("", domain)
		s.GenerateName = "s-"
		return s
	}
	p := plugin(world())
	admit := func(request context.Context, s *core.Shoot) error {
		return p.Admit(request, admissiontest.Create(s), nil)
	}
	request, end := context.WithCancel(t.Context())
	if err := admit(request, named("first", "a.com")); err != nil {
		t.Fatal(err)
	}
	for name, second := range map[string]*core.Shoot{
		"the same domain": named("second", "a.com"), "one in it": named("second", "b.a.com"), "one that contains it": named("second", "com"),
		"the same domain by a made-up name": generated("a.com"),
	} {
		t.Run("ADM-18 "+name+" is refused while the first request runs", func(t *testing.T) {
			admissiontest.WantError(t, admit(t.Context(), second), "the domain of another shoot")
		})
	}
	t.Run("another domain is free", func(t *testing.T) {
		admissiontest.WantError(t, admit(t.Context(), named("second", "b.com")), "")
	})
	t.Run("the same request may be tried again", func(t *testing.T) {
		admissiontest.WantError(t, admit(request, named("first", "a.com")), "")
	})
	t.Run("a request that ended without a shoot leaves the domain to others", func(t *testing.T) {
		end()
		testwait.Until(t, "the domain is free", func() error {
			again, done := context.WithCancel(t.Context())
			defer done()
			return admit(again, named("second", "a.com"))
		})
	})
	t.Run("made-up names are names of different shoots", func(t *testing.T) {
		if err := admit(t.Context(), generated("c.com")); err != nil {
			t.Fatal(err)
		}
		admissiontest.WantError(t, admit(t.Context(), generated("c.com")), "the domain of another shoot")
	})
}
