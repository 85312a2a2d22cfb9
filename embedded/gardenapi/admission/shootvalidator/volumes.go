package shootvalidator

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// volumes checks types and sizes of a pool's volumes; old may be nil.
func (c *check) volumes(worker, old *core.Worker, path *field.Path) {
	machineChanges := old == nil || old.Machine.Type != worker.Machine.Type
	if v := worker.Volume; v != nil {
		var before *core.Volume
		if old != nil {
			before = old.Volume
		}
		typeChanges := before == nil || !ptr.Equal(before.Type, v.Type)
		if typeChanges {
			c.volumeType(worker, v.Type, path.Child("volume", "type"))
		}
		if typeChanges || machineChanges || before.VolumeSize != v.VolumeSize {
			c.volumeSize(c.minimumSize(worker, v.Type, true), v.VolumeSize, path.Child("volume", "size"))
		}
	}
	for i, v := range worker.DataVolumes {
		path := path.Child("dataVolumes").Index(i)
		var before *core.DataVolume
		if old != nil {
			if j := slices.IndexFunc(old.DataVolumes, func(o core.DataVolume) bool { return o.Name == v.Name }); j >= 0 {
				before = &old.DataVolumes[j]
			}
		}
		typeChanges := before == nil || !ptr.Equal(before.Type, v.Type)
		if typeChanges {
			c.volumeType(worker, v.Type, path.Child("type"))
		}
		if typeChanges || before.VolumeSize != v.VolumeSize {
			c.volumeSize(c.minimumSize(worker, v.Type, false), v.VolumeSize, path.Child("size"))
		}
	}
}

func (c *check) volumeType(worker *core.Worker, typ *string, path *field.Path) {
	wanted := ptr.Deref(typ, "")
	if wanted == "" {
		return
	}
	var offered []string
	for _, one := range c.profile.VolumeTypes {
		if !ptr.Deref(one.Usable, true) {
			continue
		}
		if one.Name == wanted {
			c.available(worker, wanted, path, func(z core.AvailabilityZone) []string { return z.UnavailableVolumeTypes })
			return
		}
		offered = append(offered, one.Name)
	}
	c.fail(field.NotSupported(path, wanted, offered))
}

// minimumSize is the minimum of the volume type, unless the machine type demands one for its root volume; nil if there is none.
func (c *check) minimumSize(worker *core.Worker, typ *string, root bool) *resource.Quantity {
	if root {
		i := slices.IndexFunc(c.profile.MachineTypes, func(m core.MachineType) bool { return m.Name == worker.Machine.Type })
		if i >= 0 && c.profile.MachineTypes[i].Storage != nil && c.profile.MachineTypes[i].Storage.MinSize != nil {
			return c.profile.MachineTypes[i].Storage.MinSize
		}
	}
	i := slices.IndexFunc(c.profile.VolumeTypes, func(v core.VolumeType) bool { return v.Name == ptr.Deref(typ, "") })
	if i < 0 {
		return nil
	}
	return c.profile.VolumeTypes[i].MinSize
}

func (c *check) volumeSize(minimum *resource.Quantity, size string, path *field.Path) {
	wanted, err := resource.ParseQuantity(size)
	if err != nil || minimum == nil { // validation reports what is no size
		return
	}
	if wanted.Cmp(*minimum) < 0 {
		c.fail(field.Invalid(path, size, fmt.Sprintf("must be at least %s", minimum)))
	}
}
