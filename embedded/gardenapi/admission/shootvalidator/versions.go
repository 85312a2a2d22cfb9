package shootvalidator

import (
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/utils/ptr"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// kubernetes completes the version of the control plane.
func (c *check) kubernetes(path *field.Path) {
	var had string
	if c.old != nil {
		had = c.old.Spec.Kubernetes.Version
	}
	c.version(&c.shoot.Spec.Kubernetes.Version, had, path)
}

// poolVersion completes the version of a pool that has one of its own; a minor is first of all the control plane's.
func (c *check) poolVersion(worker, old *core.Worker, path *field.Path) {
	if worker.Kubernetes == nil || ptr.Deref(worker.Kubernetes.Version, "") == "" {
		return
	}
	wanted, had := worker.Kubernetes.Version, c.shoot.Spec.Kubernetes.Version
	if old != nil {
		had = helper.KubernetesVersion(c.old, old)
	}
	if *wanted != c.shoot.Spec.Kubernetes.Version {
		c.version(wanted, had, path)
	}
}

// version completes "" and "1.36" to the latest supported version and refuses versions that are not offered. The version
// that there was before, if any, stays allowed.
func (c *check) version(wanted *string, had string, path *field.Path) {
	versions := c.profile.Kubernetes.Versions
	if minor, partial := minorOf(*wanted); partial {
		if had != "" && strings.HasPrefix(had, minor) {
			*wanted = had // an old manifest applied again does not update
			return
		}
		latest := latestSupported(versions, minor, c.now)
		if latest == "" {
			c.fail(field.Invalid(path, *wanted, "the profile has no supported version to choose"))
			return
		}
		*wanted = latest
		return
	}
	if had == *wanted {
		return
	}
	var offered []string
	for _, one := range versions {
		if isExpired(one, c.now) {
			continue
		}
		if one.Version == *wanted {
			c.note(one, path)
			return
		}
		offered = append(offered, one.Version)
	}
	c.fail(field.NotSupported(path, *wanted, offered))
}

// minorOf tells whether a version lacks its patch level; minor is then the prefix of those that match, such as "1.36.".
func minorOf(wanted string) (minor string, partial bool) {
	trimmed := strings.TrimSuffix(wanted, ".")
	if trimmed == "" {
		return "", true
	}
	return trimmed + ".", strings.Count(trimmed, ".") == 1
}

func latestSupported(versions []core.ExpirableVersion, prefix string, now time.Time) string {
	var latest string
	for _, one := range versions {
		if strings.HasPrefix(one.Version, prefix) && classificationOf(one, now) == core.ClassificationSupported && isNewer(one.Version, latest) {
			latest = one.Version
		}
	}
	return latest
}

// classificationOf follows the lifecycle if there is one. A version about which nothing is said is supported.
func classificationOf(v core.ExpirableVersion, now time.Time) core.VersionClassification {
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

func isExpired(v core.ExpirableVersion, now time.Time) bool {
	switch classificationOf(v, now) {
	case core.ClassificationExpired, core.ClassificationUnavailable:
		return true
	default:
		return false
	}
}

// isNewer compares versions; everything is newer than "".
func isNewer(a, b string) bool {
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
