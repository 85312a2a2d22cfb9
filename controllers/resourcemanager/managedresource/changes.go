package managedresource

import (
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/drift"
)

// changes lets the watches of the target report changes of the objects of one ManagedResource. Without a watcher it does
// nothing.
type changes struct {
	drift  *drift.Watcher // may be nil
	mapper meta.RESTMapper
	owner  types.NamespacedName
}

// reported says whether changes are reported at all.
func (c changes) reported() bool { return c.drift != nil }

// gaps counts how often the watches may have missed a change.
func (c changes) gaps() uint64 {
	if c.drift == nil {
		return 0
	}
	return c.drift.Gaps()
}

// note makes the watches report later changes of the object.
func (c changes) note(object *unstructured.Unstructured) {
	if c.drift == nil || object == nil || object.GetUID() == "" {
		return
	}
	c.drift.Note(c.owner, object)
	mapping, err := c.mapper.RESTMapping(object.GroupVersionKind().GroupKind(), object.GroupVersionKind().Version)
	if err == nil {
		c.drift.Watch(mapping.Resource)
	}
}

// forget ends the reports.
func (c changes) forget() {
	if c.drift != nil {
		c.drift.Forget(c.owner)
	}
}
