package shootvalidator

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func (c *check) provider(path *field.Path) {
	if c.shoot.Spec.Provider.Type != c.profile.Type {
		c.fail(field.Invalid(path, c.shoot.Spec.Provider.Type, fmt.Sprintf("must be the provider type of the profile, %q", c.profile.Type)))
	}
}

func (c *check) region(path *field.Path) {
	if c.old != nil && c.old.Spec.Region == c.shoot.Spec.Region {
		return
	}
	if c.profileRegion() == nil {
		c.fail(field.NotSupported(path, c.shoot.Spec.Region, names(c.profile.Regions, func(r core.Region) string { return r.Name })))
	}
}

func (c *check) profileRegion() *core.Region {
	i := slices.IndexFunc(c.profile.Regions, func(r core.Region) bool { return r.Name == c.shoot.Spec.Region })
	if i < 0 {
		return nil
	}
	return &c.profile.Regions[i]
}

// complete completes a pool and checks it; what a pool of the same name had before stays allowed.
func (p poolCheck) complete(path *field.Path) {
	if p.old == nil || p.old.Machine.Type != p.worker.Machine.Type {
		p.machineType(path.Child("machine", "type"))
	}
	p.volumes(path)
	if p.old == nil || !slices.Equal(p.old.Zones, p.worker.Zones) {
		p.zones(path.Child("zones"))
	}
	p.kubernetes(path.Child("kubernetes", "version"))
	p.image(path.Child("machine", "image"))
}

func (p poolCheck) machineType(path *field.Path) {
	architecture := helper.ArchitectureOf(p.worker)
	var offered []string
	for _, one := range p.check.profile.MachineTypes {
		if !ptr.Deref(one.Usable, true) || ptr.Deref(one.Architecture, architecture) != architecture {
			continue
		}
		if one.Name == p.worker.Machine.Type {
			p.available(one.Name, path, func(z core.AvailabilityZone) []string { return z.UnavailableMachineTypes })
			return
		}
		offered = append(offered, one.Name)
	}
	p.check.fail(field.NotSupported(path, p.worker.Machine.Type, offered))
}

// available refuses a type that one of the pool's zones does not have.
func (p poolCheck) available(name string, path *field.Path, missing func(core.AvailabilityZone) []string) {
	region := p.check.profileRegion()
	if region == nil {
		return
	}
	for _, zone := range region.Zones {
		if slices.Contains(p.worker.Zones, zone.Name) && slices.Contains(missing(zone), name) {
			p.check.fail(field.Invalid(path, name, fmt.Sprintf("is not available in zone %q", zone.Name)))
		}
	}
}

func (p poolCheck) zones(path *field.Path) {
	region := p.check.profileRegion()
	if region == nil {
		return
	}
	offered := names(region.Zones, func(z core.AvailabilityZone) string { return z.Name })
	for i, zone := range p.worker.Zones {
		if !slices.Contains(offered, zone) {
			p.check.fail(field.NotSupported(path.Index(i), zone, offered))
		}
	}
}

func names[T any](all []T, name func(T) string) []string {
	out := make([]string, 0, len(all))
	for _, one := range all {
		out = append(out, name(one))
	}
	return out
}
