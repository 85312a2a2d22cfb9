package maintenance

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// nextImage returns the next version of the machine image of the pool, and the reason for the update. Both are empty if
// the version may stay, or if the profile no longer has the image.
func nextImage(images []gardencorev1beta1.MachineImage, worker *gardencorev1beta1.Worker, kubelet string, auto bool, now time.Time) (next, why string) {
	i := slices.IndexFunc(images, func(image gardencorev1beta1.MachineImage) bool { return image.Name == worker.Machine.Image.Name })
	if i < 0 {
		return "", ""
	}
	current := *worker.Machine.Image.Version
	newer := slices.DeleteFunc(slices.Clone(images[i].Versions), func(v gardencorev1beta1.MachineImageVersion) bool {
		return !helper.IsNewer(v.Version, current) || helper.UnfitImage(v, worker, kubelet) != ""
	})
	strategy := ptr.Deref(images[i].UpdateStrategy, gardencorev1beta1.UpdateStrategyMajor)
	if auto {
		if next := newestImage(newer, now, within(strategy, current), gardencorev1beta1.ClassificationSupported); next != "" {
			return next, automatic
		}
	}
	if why = mustLeave(images[i].Versions, worker, kubelet, now); why == "" {
		return "", ""
	}
	// As few versions as possible are skipped: first patches, then minor versions of the same major version, then the
	// rest.
	for _, wider := range widening(strategy) {
		for _, classes := range [][]gardencorev1beta1.VersionClassification{{gardencorev1beta1.ClassificationSupported}, {gardencorev1beta1.ClassificationDeprecated}} {
			if next := newestImage(newer, now, within(wider, current), classes...); next != "" {
				return next, why
			}
		}
	}
	return "", ""
}

// mustLeave returns the reason why the current version cannot stay, empty if it can.
func mustLeave(versions []gardencorev1beta1.MachineImageVersion, worker *gardencorev1beta1.Worker, kubelet string, now time.Time) string {
	i := slices.IndexFunc(versions, func(v gardencorev1beta1.MachineImageVersion) bool { return v.Version == *worker.Machine.Image.Version })
	switch {
	case i < 0, helper.ClassificationOf(versions[i].ExpirableVersion, now) == gardencorev1beta1.ClassificationExpired:
		return forced
	case helper.UnfitImage(versions[i], worker, kubelet) != "":
		return unfit
	}
	return ""
}

func newestImage(versions []gardencorev1beta1.MachineImageVersion, now time.Time, allowed func(string) bool, classes ...gardencorev1beta1.VersionClassification) string {
	var newest string
	for _, one := range versions {
		if allowed(one.Version) && slices.Contains(classes, helper.ClassificationOf(one.ExpirableVersion, now)) && helper.IsNewer(one.Version, newest) {
			newest = one.Version
		}
	}
	return newest
}

// widening returns the strategy followed by the strategies that allow more updates.
func widening(strategy gardencorev1beta1.MachineImageUpdateStrategy) []gardencorev1beta1.MachineImageUpdateStrategy {
	all := []gardencorev1beta1.MachineImageUpdateStrategy{
		gardencorev1beta1.UpdateStrategyPatch, gardencorev1beta1.UpdateStrategyMinor, gardencorev1beta1.UpdateStrategyMajor,
	}
	return all[max(0, slices.Index(all, strategy)):]
}

// within reports whether a strategy allows the update from the current version.
func within(strategy gardencorev1beta1.MachineImageUpdateStrategy, current string) func(string) bool {
	from, err := version.ParseGeneric(current)
	return func(to string) bool {
		target, targetErr := version.ParseGeneric(to)
		if err != nil || targetErr != nil {
			return strategy == gardencorev1beta1.UpdateStrategyMajor
		}
		switch strategy {
		case gardencorev1beta1.UpdateStrategyPatch:
			return target.Major() == from.Major() && target.Minor() == from.Minor()
		case gardencorev1beta1.UpdateStrategyMinor:
			return target.Major() == from.Major()
		}
		return true
	}
}
