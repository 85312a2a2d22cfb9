// Package names decides which seed a name of a shoot leads to, and which seed may publish it. Several seeds can claim the same name, and
// a seed can claim any name. The garden decides between them: a claim counts if the shoot in the garden has the name and is on that seed.
package names

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/frontdoor"
)

// askTimeout of one question to the garden, or to its cache, which may have to be filled first.
const askTimeout = 5 * time.Second

// Garden knows which shoot has a name. The reader has a cache where routes are looked up, and none where names are published.
type Garden struct{ client.Reader }

// Seed returns the name of the seed that a name leads to; empty if there is none. claims are the routes of each seed. While a shoot
// moves between seeds, Seed returns the new seed if that seed has the name.
func (g Garden) Seed(serverName string, claims iter.Seq2[string, frontdoor.RouteSource]) string {
	old := ""
	for seed, routes := range claims {
		at, known := routes.Route(serverName)
		if !known {
			continue
		}
		switch shoot := g.owner(serverName, at.Host); {
		case shoot == nil:
		case ptr.Deref(shoot.Spec.SeedName, "") == seed:
			return seed
		case ptr.Deref(shoot.Status.SeedName, "") == seed:
			old = seed
		}
	}
	return old
}

// owner returns the shoot that the host stands for if the name belongs to it, and nil otherwise. host is the Service of an
// API server, <service>.<namespace of the shoot>.svc.
func (g Garden) owner(name, host string) *gardencorev1beta1.Shoot {
	labels := strings.SplitN(host, ".", 3)
	if len(labels) < 2 {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), askTimeout)
	defer cancel()
	object, err := g.shoot(ctx, labels[1])
	if err != nil || object == nil {
		return nil
	}
	if project, _, _ := helper.ParseTechnicalID(labels[1]); !hasName(object, project, name) {
		return nil
	}
	return object
}

// hasName is true for names in the domain of the shoot, and for internal names, which begin with those of shoot and project.
func hasName(shoot *gardencorev1beta1.Shoot, project, name string) bool {
	if strings.HasPrefix(name, "api."+shoot.Name+"."+project+".") {
		return true
	}
	dns := shoot.Spec.DNS
	if dns == nil || helper.UnmanagedDNS(dns) || ptr.Deref(dns.Domain, "") == "" {
		return false
	}
	return strings.HasSuffix(name, "."+*dns.Domain)
}

// shoot returns the shoot whose control plane has the namespace; nil if there is none.
func (g Garden) shoot(ctx context.Context, namespace string) (*gardencorev1beta1.Shoot, error) {
	project, name, ok := helper.ParseTechnicalID(namespace)
	if !ok {
		return nil, nil
	}
	home := &gardencorev1beta1.Project{}
	if err := g.Get(ctx, client.ObjectKey{Name: project}, home); err != nil {
		return nil, missing(err, "project", project)
	}
	found := &gardencorev1beta1.Shoot{}
	if err := g.Get(ctx, client.ObjectKey{Namespace: ptr.Deref(home.Spec.Namespace, ""), Name: name}, found); err != nil {
		return nil, missing(err, "shoot", name)
	}
	return found, nil
}

// missing is no error for what does not exist.
func missing(err error, kind, name string) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return fmt.Errorf("read %s %q: %w", kind, name, err)
}
