package shootvalidator

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// volumes checks types and sizes of the pool's volumes.
func (p poolCheck) volumes(path *field.Path) {
	machineChanges := p.old == nil || p.old.Machine.Type != p.worker.Machine.Type
	if v := p.worker.Volume; v != nil {
		var before *core.Volume
		if p.old != nil {
			before = p.old.Volume
		}
		typeChanges := before == nil || !ptr.Equal(before.Type, v.Type)
		if typeChanges {
			p.volumeType(v.Type, path.Child("volume", "type"))
		}
		if typeChanges || machineChanges || before.VolumeSize != v.VolumeSize {
			p.volumeSize(p.minimumSize(v.Type, true), v.VolumeSize, path.Child("volume", "size"))
		}
	}
	for i, v := range p.worker.DataVolumes {
		path := path.Child("dataVolumes").Index(i)
		var before *core.DataVolume
		if p.old != nil {
			if j := slices.IndexFunc(p.old.DataVolumes, func(o core.DataVolume) bool { return o.Name == v.Name }); j >= 0 {
				before = &p.old.DataVolumes[j]
			}
		}
		typeChanges := before == nil || !ptr.Equal(before.Type, v.Type)
		if typeChanges {
			p.volumeType(v.Type, path.Child("type"))
		}
		if typeChanges || before.VolumeSize != v.VolumeSize {
			p.volumeSize(p.minimumSize(v.Type, false), v.VolumeSize, path.Child("size"))
		}
	}
}

func (p poolCheck) volumeType(typ *string, path *field.Path) {
	wanted := ptr.Deref(typ, "")
	if wanted == "" {
		return
	}
	var offered []string
	for _, one := range p.check.profile.VolumeTypes {
		if !ptr.Deref(one.Usable, true) {
			continue
		}
		if one.Name == wanted {
			p.available(wanted, path, func(z core.AvailabilityZone) []string { return z.UnavailableVolumeTypes })
			return
		}
		offered = append(offered, one.Name)
	}
	p.check.fail(field.NotSupported(path, wanted, offered))
}

// minimumSize is the minimum of the volume type, unless the machine type demands one for its root volume; nil if there is none.
func (p poolCheck) minimumSize(typ *string, root bool) *resource.Quantity {
	if root {
		i := slices.IndexFunc(p.check.profile.MachineTypes, func(m core.MachineType) bool { return m.Name == p.worker.Machine.Type })
		if i >= 0 && p.check.profile.MachineTypes[i].Storage != nil && p.check.profile.MachineTypes[i].Storage.MinSize != nil {
			return p.check.profile.MachineTypes[i].Storage.MinSize
		}
	}
	i := slices.IndexFunc(p.check.profile.VolumeTypes, func(v core.VolumeType) bool { return v.Name == ptr.Deref(typ, "") })
	if i < 0 {
		return nil
	}
	return p.check.profile.VolumeTypes[i].MinSize
}

func (p poolCheck) volumeSize(minimum *resource.Quantity, size string, path *field.Path) {
	wanted, err := resource.ParseQuantity(size)
	if err != nil || minimum == nil { // validation reports what is no size
		return
	}
	if wanted.Cmp(*minimum) < 0 {
		p.check.fail(field.Invalid(path, size, fmt.Sprintf("must be at least %s", minimum)))
	}
}
