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

// worker checks a pool; what a pool of the same name had before stays allowed.
func (c *check) worker(worker *core.Worker, path *field.Path) {
	old := c.oldWorker(worker.Name)
	if old == nil || old.Machine.Type != worker.Machine.Type {
		c.machineType(worker, path.Child("machine", "type"))
	}
	c.volumes(worker, old, path)
	if old == nil || !slices.Equal(old.Zones, worker.Zones) {
		c.zones(worker, path.Child("zones"))
	}
	c.poolVersion(worker, old, path.Child("kubernetes", "version"))
	c.image(worker, path.Child("machine", "image"))
}

func (c *check) machineType(worker *core.Worker, path *field.Path) {
	architecture := helper.ArchitectureOf(worker)
	var offered []string
	for _, one := range c.profile.MachineTypes {
		if !ptr.Deref(one.Usable, true) || ptr.Deref(one.Architecture, architecture) != architecture {
			continue
		}
		if one.Name == worker.Machine.Type {
			c.available(worker, one.Name, path, func(z core.AvailabilityZone) []string { return z.UnavailableMachineTypes })
			return
		}
		offered = append(offered, one.Name)
	}
	c.fail(field.NotSupported(path, worker.Machine.Type, offered))
}

// available refuses a type that one of the pool's zones does not have.
func (c *check) available(worker *core.Worker, name string, path *field.Path, missing func(core.AvailabilityZone) []string) {
	region := c.profileRegion()
	if region == nil {
		return
	}
	for _, zone := range region.Zones {
		if slices.Contains(worker.Zones, zone.Name) && slices.Contains(missing(zone), name) {
			c.fail(field.Invalid(path, name, fmt.Sprintf("is not available in zone %q", zone.Name)))
		}
	}
}

func (c *check) zones(worker *core.Worker, path *field.Path) {
	region := c.profileRegion()
	if region == nil {
		return
	}
	offered := names(region.Zones, func(z core.AvailabilityZone) string { return z.Name })
	for i, zone := range worker.Zones {
		if !slices.Contains(offered, zone) {
			c.fail(field.NotSupported(path.Index(i), zone, offered))
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
