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
func (c *check) image(worker *core.Worker, path *field.Path) {
	old := c.oldImage(worker.Name)
	if worker.Machine.Image == nil && old != nil {
		worker.Machine.Image = old.DeepCopy()
		return
	}
	if worker.Machine.Image == nil {
		for _, image := range c.profile.MachineImages {
			if latest := c.latestImage(image, worker); latest != "" {
				worker.Machine.Image = &core.ShootMachineImage{Name: image.Name, Version: &latest}
				return
			}
		}
		c.fail(field.Invalid(path, "", "the profile has no machine image for architecture "+helper.ArchitectureOf(worker)+" and the other settings of the pool to choose"))
		return
	}
	wanted := worker.Machine.Image
	if ptr.Deref(wanted.Version, "") == "" && old != nil && old.Name == wanted.Name {
		wanted.Version = old.Version
		return
	}
	if old != nil && old.Name == wanted.Name && ptr.Equal(old.Version, wanted.Version) && c.demandsTheSame(worker) {
		return
	}
	i := slices.IndexFunc(c.profile.MachineImages, func(image core.MachineImage) bool { return image.Name == wanted.Name })
	if i < 0 {
		c.fail(field.NotSupported(path.Child("name"), wanted.Name, c.imageNames()))
		return
	}
	c.imageVersion(c.profile.MachineImages[i], worker, path.Child("version"))
}

func (c *check) imageVersion(image core.MachineImage, worker *core.Worker, path *field.Path) {
	wanted := worker.Machine.Image
	if ptr.Deref(wanted.Version, "") == "" {
		latest := c.latestImage(image, worker)
		if latest == "" {
			c.fail(field.Invalid(path, "", "the profile has no version of image "+image.Name+" for architecture "+helper.ArchitectureOf(worker)+" and the other settings of the pool to choose"))
			return
		}
		wanted.Version = &latest
		return
	}
	var offered []string
	for _, one := range image.Versions {
		if helper.IsExpired(one.ExpirableVersion, c.now) && !c.hadVersion(worker, image.Name, one.Version) {
			continue
		}
		if one.Version != *wanted.Version {
			offered = append(offered, one.Version)
			continue
		}
		if reason := c.unfit(one, worker); reason != "" {
			c.fail(field.Invalid(path, one.Version, reason))
		}
		c.note(one.ExpirableVersion, path)
		return
	}
	c.fail(field.NotSupported(path, *wanted.Version, offered))
}

// hadVersion keeps expired versions of pools that have them.
func (c *check) hadVersion(worker *core.Worker, name, version string) bool {
	old := c.oldImage(worker.Name)
	return old != nil && old.Name == name && ptr.Deref(old.Version, "") == version
}

// demandsTheSame reports whether a pool demands of its image what it did before.
func (c *check) demandsTheSame(worker *core.Worker) bool {
	old := c.oldWorker(worker.Name)
	return old != nil && helper.ArchitectureOf(old) == helper.ArchitectureOf(worker) && apiequality.Semantic.DeepEqual(old.CRI, worker.CRI) &&
		helper.KubernetesVersion(c.old, old) == helper.KubernetesVersion(c.shoot, worker)
}

// latestImage leaves out previews and versions that the pool cannot use.
func (c *check) latestImage(image core.MachineImage, worker *core.Worker) string {
	var latest string
	for _, one := range image.Versions {
		class := helper.ClassificationOf(one.ExpirableVersion, c.now)
		usable := class == core.ClassificationSupported || class == core.ClassificationDeprecated
		if usable && c.unfit(one, worker) == "" && helper.IsNewer(one.Version, latest) {
			latest = one.Version
		}
	}
	return latest
}

// unfit says why a pool cannot use an image; empty if it can.
func (c *check) unfit(image core.MachineImageVersion, worker *core.Worker) string {
	return helper.UnfitImage(image, worker, helper.KubernetesVersion(c.shoot, worker))
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
