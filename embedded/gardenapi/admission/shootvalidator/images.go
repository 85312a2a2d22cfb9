package shootvalidator

import (
	"slices"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// image completes name and version of a pool's machine image and refuses what is not offered.
func (p poolCheck) image(path *field.Path) {
	old := p.oldImage()
	if p.worker.Machine.Image == nil && old != nil {
		p.worker.Machine.Image = old.DeepCopy()
		return
	}
	if p.worker.Machine.Image == nil {
		for _, image := range p.check.profile.MachineImages {
			if latest := p.latestImage(image); latest != "" {
				p.worker.Machine.Image = &core.ShootMachineImage{Name: image.Name, Version: &latest}
				return
			}
		}
		p.check.fail(field.Invalid(path, "", "the profile has no machine image for architecture "+helper.ArchitectureOf(p.worker)+" and the other settings of the pool to choose"))
		return
	}
	wanted := p.worker.Machine.Image
	if ptr.Deref(wanted.Version, "") == "" && old != nil && old.Name == wanted.Name {
		wanted.Version = old.Version
		return
	}
	if old != nil && old.Name == wanted.Name && ptr.Equal(old.Version, wanted.Version) && p.demandsTheSame() {
		return
	}
	i := slices.IndexFunc(p.check.profile.MachineImages, func(image core.MachineImage) bool { return image.Name == wanted.Name })
	if i < 0 {
		p.check.fail(field.NotSupported(path.Child("name"), wanted.Name, p.check.imageNames()))
		return
	}
	p.imageVersion(p.check.profile.MachineImages[i], path.Child("version"))
}

func (p poolCheck) imageVersion(image core.MachineImage, path *field.Path) {
	wanted := p.worker.Machine.Image
	if ptr.Deref(wanted.Version, "") == "" {
		latest := p.latestImage(image)
		if latest == "" {
			p.check.fail(field.Invalid(path, "", "the profile has no version of image "+image.Name+" for architecture "+helper.ArchitectureOf(p.worker)+" and the other settings of the pool to choose"))
			return
		}
		wanted.Version = &latest
		return
	}
	var offered []string
	for _, one := range image.Versions {
		if helper.IsExpired(one.ExpirableVersion, p.check.now) && !p.hadVersion(image.Name, one.Version) {
			continue
		}
		if one.Version != *wanted.Version {
			offered = append(offered, one.Version)
			continue
		}
		if reason := p.unfit(one); reason != "" {
			p.check.fail(field.Invalid(path, one.Version, reason))
		}
		p.check.note(one.ExpirableVersion, path)
		return
	}
	p.check.fail(field.NotSupported(path, *wanted.Version, offered))
}

// hadVersion keeps expired versions of pools that have them.
func (p poolCheck) hadVersion(name, version string) bool {
	old := p.oldImage()
	return old != nil && old.Name == name && ptr.Deref(old.Version, "") == version
}

// demandsTheSame reports whether a pool demands of its image what it did before.
func (p poolCheck) demandsTheSame() bool {
	return p.old != nil && helper.ArchitectureOf(p.old) == helper.ArchitectureOf(p.worker) && apiequality.Semantic.DeepEqual(p.old.CRI, p.worker.CRI) &&
		helper.KubernetesVersion(p.check.old, p.old) == helper.KubernetesVersion(p.check.shoot, p.worker)
}

// latestImage leaves out previews and versions that the pool cannot use.
func (p poolCheck) latestImage(image core.MachineImage) string {
	var latest string
	for _, one := range image.Versions {
		class := helper.ClassificationOf(one.ExpirableVersion, p.check.now)
		usable := class == core.ClassificationSupported || class == core.ClassificationDeprecated
		if usable && p.unfit(one) == "" && helper.IsNewer(one.Version, latest) {
			latest = one.Version
		}
	}
	return latest
}

// unfit says why a pool cannot use an image; empty if it can.
func (p poolCheck) unfit(image core.MachineImageVersion) string {
	return helper.UnfitImage(image, p.worker, helper.KubernetesVersion(p.check.shoot, p.worker))
}

func (c *check) imageNames() []string {
	var names []string
	for _, image := range c.profile.MachineImages {
		names = append(names, image.Name)
	}
	return names
}

func (p poolCheck) oldImage() *core.ShootMachineImage {
	if p.old == nil {
		return nil
	}
	return p.old.Machine.Image
}
