package integration

import (
	"sync"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestDomainsAtOnce(t *testing.T) {
	profile, projects := cloudProfile(t), []*core.Project{project(t), project(t)}
	settle()
	with := func(i int, domain string) *core.Shoot {
		return newShoot(projects[i%len(projects)], profile, func(s *core.Shoot) { s.Spec.DNS = &core.DNS{Domain: ptr.To(domain)} })
	}
	t.Run("ADM-18 of many shoots that ask for a domain at once, one gets it", func(t *testing.T) {
		c := admin(t)
		for _, domain := range []string{"one.example.gov", "two.example.gov", "three.example.gov"} {
			const many = 10
			errs, made := make([]error, many), make([]*core.Shoot, many)
			var all sync.WaitGroup
			for i := range many {
				made[i] = with(i, domain)
				all.Go(func() { errs[i] = c.Create(t.Context(), made[i]) })
			}
			all.Wait()
			stored := 0
			for i, err := range errs {
				switch {
				case err == nil:
					stored++
					remove(t, c, made[i])
				case !apierrors.IsInvalid(err):
					t.Errorf("%s: %v", domain, err)
				}
			}
			if stored != 1 {
				t.Errorf("%s: %d shoots have it", domain, stored)
			}
		}
	})
	t.Run("a request that stores nothing leaves the domain to others", func(t *testing.T) {
		if err := admin(t).Create(t.Context(), with(0, "dry.example.gov"), client.DryRunAll); err != nil {
			t.Fatal(err)
		}
		create(t, with(1, "dry.example.gov"))
	})
}
