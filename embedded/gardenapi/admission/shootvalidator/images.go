package shootvalidator

import (
	"slices"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// image completes name and version of a pool's machine image and refuses what is not offered.
func (c *check) image(worker *core.Worker, path *field.Path) {
	architecture := ptr.Deref(worker.Machine.Architecture, core.ArchitectureAMD64)
	old := c.oldImage(worker.Name)
	if worker.Machine.Image == nil && old != nil {
		worker.Machine.Image = old.DeepCopy()
		return
	}
	if worker.Machine.Image == nil {
		for _, image := range c.profile.MachineImages {
			if latest := c.latestImage(image, architecture); latest != "" {
				worker.Machine.Image = &core.ShootMachineImage{Name: image.Name, Version: &latest}
				return
			}
		}
		c.fail(field.Invalid(path, "", "the profile has no machine image for architecture "+architecture+" to choose"))
		return
	}
	wanted := worker.Machine.Image
	if ptr.Deref(wanted.Version, "") == "" && old != nil && old.Name == wanted.Name {
		wanted.Version = old.Version
		return
	}
	if old != nil && old.Name == wanted.Name && ptr.Equal(old.Version, wanted.Version) {
		return
	}
	i := slices.IndexFunc(c.profile.MachineImages, func(image core.MachineImage) bool { return image.Name == wanted.Name })
	if i < 0 {
		c.fail(field.NotSupported(path.Child("name"), wanted.Name, c.imageNames()))
		return
	}
	c.imageVersion(c.profile.MachineImages[i], wanted, architecture, path.Child("version"))
}

func (c *check) imageVersion(image core.MachineImage, wanted *core.ShootMachineImage, architecture string, path *field.Path) {
	if ptr.Deref(wanted.Version, "") == "" {
		latest := c.latestImage(image, architecture)
		if latest == "" {
			c.fail(field.Invalid(path, "", "the profile has no version of image "+image.Name+" for architecture "+architecture+" to choose"))
			return
		}
		wanted.Version = &latest
		return
	}
	var offered []string
	for _, one := range image.Versions {
		if isExpired(one.ExpirableVersion, c.now) || !supports(one, architecture) {
			continue
		}
		if one.Version == *wanted.Version {
			return
		}
		offered = append(offered, one.Version)
	}
	c.fail(field.NotSupported(path, *wanted.Version, offered))
}

// latestImage leaves out previews.
func (c *check) latestImage(image core.MachineImage, architecture string) string {
	var latest string
	for _, one := range image.Versions {
		class := classificationOf(one.ExpirableVersion, c.now)
		usable := class == core.ClassificationSupported || class == core.ClassificationDeprecated
		if usable && supports(one, architecture) && isNewer(one.Version, latest) {
			latest = one.Version
		}
	}
	return latest
}

// supports is true for images that say nothing about architectures.
func supports(image core.MachineImageVersion, architecture string) bool {
	return len(image.Architectures) == 0 || slices.Contains(image.Architectures, architecture)
}

func (c *check) imageNames() []string {
	var names []string
	for _, image := range c.profile.MachineImages {
		names = append(names, image.Name)
	}
	return names
}

func (c *check) oldImage(pool string) *core.ShootMachineImage {
	if worker := c.oldWorker(pool); worker != nil {
		return worker.Machine.Image
	}
	return nil
}

func (c *check) oldWorker(pool string) *core.Worker {
	if c.old == nil {
		return nil
	}
	for i := range c.old.Spec.Provider.Workers {
		if worker := &c.old.Spec.Provider.Workers[i]; worker.Name == pool {
			return worker
		}
	}
	return nil
}
