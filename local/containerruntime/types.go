package containerruntime

import (
	"maps"
	"slices"

	"github.com/gardener-up/gardener-up/local/api"
)

// definition is one type of container runtime.
type definition struct {
	// class is the name of the RuntimeClass, handler the name of the runtime in containerd.
	class, handler string
	// simulated means that runc runs the pods.
	simulated bool
	// nested means that the runtime needs machines that can run virtual machines.
	nested bool
}

// definitions are all types there are.
func definitions() map[string]definition {
	return map[string]definition{
		api.Type:          {class: api.Type, handler: api.Type},
		"gvisor":          {class: "gvisor", handler: "runsc", simulated: true},
		"kata-containers": {class: "kata", handler: "kata", simulated: true, nested: true},
	}
}

// Types are the types of all ContainerRuntimes that the actuator handles.
func Types() []string { return slices.Sorted(maps.Keys(definitions())) }
