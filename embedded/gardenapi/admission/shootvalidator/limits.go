package shootvalidator

import (
	"fmt"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// limits keeps the pools within the number of nodes that the profile allows: no pool may grow beyond it, and all of them
// must be able to exist.
func (c *check) limits(path *field.Path) {
	if c.profile.Limits == nil || c.profile.Limits.MaxNodesTotal == nil ||
		c.old != nil && apiequality.Semantic.DeepEqual(c.old.Spec.Provider.Workers, c.shoot.Spec.Provider.Workers) {
		return
	}
	most, total := *c.profile.Limits.MaxNodesTotal, int64(0)
	for i := range c.shoot.Spec.Provider.Workers {
		worker := &c.shoot.Spec.Provider.Workers[i]
		total += int64(worker.Minimum)
		if worker.Maximum > most {
			c.fail(field.Invalid(path.Index(i).Child("maximum"), worker.Maximum, fmt.Sprintf("must not be more than the %d nodes that the profile allows", most)))
		}
	}
	if total > int64(most) {
		c.fail(field.Forbidden(path, fmt.Sprintf("the pools have at least %d nodes, the profile allows %d", total, most)))
	}
}
