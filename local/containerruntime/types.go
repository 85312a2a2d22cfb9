package containerruntime

import (
	"maps"
	"slices"

	"github.com/gardener-up/gardener-up/local/api"
)

// definition is one type of container runtime.
type definition struct {
	// class is the name of the RuntimeClass, handler what containerd knows the runtime by.
	class, handler string
	// simulated tells that runc plays the runtime.
	simulated bool
	// nested tells that it needs machines in which virtual machines can run.
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

// Types are those of all ContainerRuntimes that are answered.
func Types() []string { return slices.Sorted(maps.Keys(definitions())) }
