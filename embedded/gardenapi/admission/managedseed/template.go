package managedseed

import (
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// complete fills what the template does not say. provider may be nil.
func complete(seed *core.SeedSpec, shoot *core.Shoot, provider *core.SeedDNSProvider) {
	fill(&seed.Provider.Type, shoot.Spec.Provider.Type)
	fill(&seed.Provider.Region, shoot.Spec.Region)
	if len(seed.Provider.Zones) == 0 {
		seed.Provider.Zones = zones(shoot)
	}
	if networking := shoot.Spec.Networking; networking != nil {
		fill(&seed.Networks.Pods, ptr.Deref(networking.Pods, ""))
		fill(&seed.Networks.Services, ptr.Deref(networking.Services, ""))
		if seed.Networks.Nodes == nil {
			seed.Networks.Nodes = networking.Nodes
		}
		if len(seed.Networks.IPFamilies) == 0 {
			seed.Networks.IPFamilies = slices.Clone(networking.IPFamilies)
		}
	}
	if seed.Ingress == nil {
		seed.Ingress = &core.Ingress{}
	}
	fill(&seed.Ingress.Domain, ingressDomain(shoot))
	fill(&seed.Ingress.Controller.Kind, core.IngressControllerNginx)
	if seed.DNS.Provider == nil {
		seed.DNS.Provider = provider
	}
	if seed.Backup != nil {
		fill(&seed.Backup.Provider, shoot.Spec.Provider.Type)
		if seed.Backup.Region == nil {
			seed.Backup.Region = ptr.To(shoot.Spec.Region)
		}
	}
}

func fill(value *string, with string) {
	if *value == "" {
		*value = with
	}
}

func ingressDomain(shoot *core.Shoot) string { return "ingress." + *shoot.Spec.DNS.Domain }

// zones are the zones of all worker pools.
func zones(shoot *core.Shoot) []string {
	all := sets.New[string]()
	for _, worker := range shoot.Spec.Provider.Workers {
		all.Insert(worker.Zones...)
	}
	return sets.List(all)
}

// check reports what contradicts the shoot.
func check(seed *core.SeedSpec, shoot *core.Shoot, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	equal := func(got, want string, path *field.Path) {
		if got != want {
			errs = append(errs, field.Invalid(path, got, fmt.Sprintf("must be %q as in shoot %q", want, shoot.Name)))
		}
	}
	equal(seed.Provider.Type, shoot.Spec.Provider.Type, path.Child("provider", "type"))
	equal(seed.Provider.Region, shoot.Spec.Region, path.Child("provider", "region"))
	if unknown := sets.New(seed.Provider.Zones...).Delete(zones(shoot)...); len(unknown) > 0 {
		errs = append(errs, field.Invalid(path.Child("provider", "zones"), seed.Provider.Zones, fmt.Sprintf("the workers of shoot %q are not in %v", shoot.Name, sets.List(unknown))))
	}
	networking := ptr.Deref(shoot.Spec.Networking, core.Networking{})
	equal(seed.Networks.Pods, ptr.Deref(networking.Pods, ""), path.Child("networks", "pods"))
	equal(seed.Networks.Services, ptr.Deref(networking.Services, ""), path.Child("networks", "services"))
	equal(ptr.Deref(seed.Networks.Nodes, ""), ptr.Deref(networking.Nodes, ""), path.Child("networks", "nodes"))
	if domain := *shoot.Spec.DNS.Domain; !strings.HasSuffix(seed.Ingress.Domain, "."+domain) {
		errs = append(errs, field.Invalid(path.Child("ingress", "domain"), seed.Ingress.Domain, fmt.Sprintf("must be below %q, the domain of shoot %q", domain, shoot.Name)))
	}
	return errs
}
