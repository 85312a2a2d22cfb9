package maintenance

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/util/version"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Reasons for updates of versions.
const (
	automatic = "automatic update"
	forced    = "forced update, since the version is expired"
	unfit     = "forced update, since the image is not for that version of Kubernetes"
)

// nextKubernetes returns the next version of Kubernetes, and the reason for the update. Both are empty if the version
// may stay. Versions that are missing in the profile count as expired.
func nextKubernetes(offered []gardencorev1beta1.ExpirableVersion, current string, auto bool, now time.Time) (next, why string) {
	if auto {
		if next := newestPatch(offered, current, now); next != "" {
			return next, automatic
		}
	}
	if !isExpired(offered, current, now) {
		return "", ""
	}
	return helper.ForcedKubernetesVersion(offered, current, now), forced
}

// newestPatch returns the newest supported version of the same minor that is newer than the current one.
func newestPatch(offered []gardencorev1beta1.ExpirableVersion, current string, now time.Time) string {
	var newest string
	for _, one := range offered {
		if sameMinor(one.Version, current) && helper.ClassificationOf(one, now) == gardencorev1beta1.ClassificationSupported &&
			helper.IsNewer(one.Version, current) && helper.IsNewer(one.Version, newest) {
			newest = one.Version
		}
	}
	return newest
}

func isExpired(offered []gardencorev1beta1.ExpirableVersion, current string, now time.Time) bool {
	i := slices.IndexFunc(offered, func(v gardencorev1beta1.ExpirableVersion) bool { return v.Version == current })
	return i < 0 || helper.ClassificationOf(offered[i], now) == gardencorev1beta1.ClassificationExpired
}

// upTo returns the versions that are not newer than the maximum.
func upTo(offered []gardencorev1beta1.ExpirableVersion, most string) []gardencorev1beta1.ExpirableVersion {
	return slices.DeleteFunc(slices.Clone(offered), func(v gardencorev1beta1.ExpirableVersion) bool { return helper.IsNewer(v.Version, most) })
}

func sameMinor(a, b string) bool {
	va, errA := version.ParseGeneric(a)
	vb, errB := version.ParseGeneric(b)
	return errA == nil && errB == nil && va.Major() == vb.Major() && va.Minor() == vb.Minor()
}
