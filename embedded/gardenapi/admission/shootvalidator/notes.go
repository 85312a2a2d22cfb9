package shootvalidator

import (
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// note warns users who choose a deprecated version, and says when the version expires.
func (c *check) note(version core.ExpirableVersion, path *field.Path) {
	text := fmt.Sprintf("%s: version %s", path, version.Version)
	deprecated, end := helper.ClassificationOf(version, c.now) == core.ClassificationDeprecated, endOf(version)
	switch {
	case deprecated && end.IsZero():
		text += " is deprecated"
	case deprecated:
		text += " is deprecated and expires on " + end.UTC().Format(time.DateOnly)
	case !end.IsZero():
		text += " expires on " + end.UTC().Format(time.DateOnly)
	default:
		return
	}
	c.notes = append(c.notes, text)
}

// endOf is when a version expires; zero if nothing is known.
func endOf(version core.ExpirableVersion) time.Time {
	if version.ExpirationDate != nil {
		return version.ExpirationDate.Time
	}
	for _, stage := range version.Lifecycle {
		if stage.Classification == core.ClassificationExpired && stage.StartTime != nil {
			return stage.StartTime.Time
		}
	}
	return time.Time{}
}
