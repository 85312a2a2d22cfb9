package core

import (
	"time"

	"k8s.io/apimachinery/pkg/util/version"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// ClassificationOf returns the classification of a version at a time. It follows the lifecycle if there is one. A version
// without classification is supported.
func ClassificationOf(v core.ExpirableVersion, now time.Time) core.VersionClassification {
	if v.ExpirationDate != nil && !now.Before(v.ExpirationDate.Time) {
		return core.ClassificationExpired
	}
	if len(v.Lifecycle) > 0 {
		current := core.ClassificationUnavailable
		for _, stage := range v.Lifecycle {
			if stage.StartTime == nil || !now.Before(stage.StartTime.Time) {
				current = stage.Classification
			}
		}
		return current
	}
	if v.Classification == nil {
		return core.ClassificationSupported
	}
	return *v.Classification
}

// IsExpired reports whether new clusters may not use a version, because it is expired or not available yet.
func IsExpired(v core.ExpirableVersion, now time.Time) bool {
	switch ClassificationOf(v, now) {
	case core.ClassificationExpired, core.ClassificationUnavailable:
		return true
	default:
		return false
	}
}

// IsNewer compares versions; everything is newer than "".
func IsNewer(a, b string) bool {
	if b == "" {
		return true
	}
	va, errA := version.ParseGeneric(a)
	vb, errB := version.ParseGeneric(b)
	if errA != nil || errB != nil {
		return a > b
	}
	return vb.LessThan(va)
}

// ForcedKubernetesVersion returns the version that a cluster with an expired version is updated to: the newest patch of
// its minor version, or, from there, the newest patch of the next minor version. Expired versions are chosen only if there
// is no other, as a step to a later one. Previews are never chosen. The result is "" if there is no such version.
func ForcedKubernetesVersion(versions []core.ExpirableVersion, current string, now time.Time) string {
	parsed, err := version.ParseGeneric(current)
	if err != nil {
		return ""
	}
	if patch := newestOf(versions, parsed.Major(), parsed.Minor(), now); IsNewer(patch, current) && patch != "" {
		return patch
	}
	return newestOf(versions, parsed.Major(), parsed.Minor()+1, now)
}

// newestOf returns the newest patch of a minor version. It prefers versions that are not expired.
func newestOf(versions []core.ExpirableVersion, major, minor uint, now time.Time) string {
	var valid, expired string
	for _, one := range versions {
		parsed, err := version.ParseGeneric(one.Version)
		if err != nil || parsed.Major() != major || parsed.Minor() != minor {
			continue
		}
		switch ClassificationOf(one, now) {
		case core.ClassificationSupported, core.ClassificationDeprecated:
			if IsNewer(one.Version, valid) {
				valid = one.Version
			}
		case core.ClassificationExpired:
			if IsNewer(one.Version, expired) {
				expired = one.Version
			}
		}
	}
	if valid != "" {
		return valid
	}
	return expired
}
