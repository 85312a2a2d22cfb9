package shootvalidator

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
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

// kubernetes completes the version of a pool that has one of its own; a minor is first of all the control plane's.
func (p poolCheck) kubernetes(path *field.Path) {
	if p.worker.Kubernetes == nil || ptr.Deref(p.worker.Kubernetes.Version, "") == "" {
		return
	}
	wanted, had := p.worker.Kubernetes.Version, p.check.shoot.Spec.Kubernetes.Version
	if p.old != nil {
		had = helper.KubernetesVersion(p.check.old, p.old)
	}
	if *wanted != p.check.shoot.Spec.Kubernetes.Version {
		p.check.version(wanted, had, path)
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
		if helper.IsExpired(one, c.now) {
			continue
		}
		if one.Version == *wanted {
			c.note(one, path)
			return
		}
		offered = append(offered, one.Version)
	}
	if c.mustPass(had, *wanted) {
		return
	}
	c.fail(field.NotSupported(path, *wanted, offered))
}

// mustPass lets a cluster whose version is expired pass through another one that is, since minor versions cannot be
// skipped on the way to one that is not.
func (c *check) mustPass(had, wanted string) bool {
	versions := c.profile.Kubernetes.Versions
	i := slices.IndexFunc(versions, func(v core.ExpirableVersion) bool { return v.Version == had })
	return i >= 0 && helper.IsExpired(versions[i], c.now) && helper.ForcedKubernetesVersion(versions, had, c.now) == wanted
}

// minorOf reports whether a version lacks its patch level; minor is then the prefix of those that match, such as "1.36.".
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
		if strings.HasPrefix(one.Version, prefix) && helper.ClassificationOf(one, now) == core.ClassificationSupported && helper.IsNewer(one.Version, latest) {
			latest = one.Version
		}
	}
	return latest
}
