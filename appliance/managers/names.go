package managers

// Names of the parts that act for the garden, and of the listeners for their health endpoints.
const (
	ControllerManager = "gardener-controller-manager"
	Scheduler         = "gardener-scheduler"
	Admission         = "garden-admission" // answers what the API servers of the garden ask
	GardenOperator    = "gardener-operator"
)

// Names of the parts of every seed. In remote seeds, the name of the seed follows the name of the part.
const (
	SeedKinds = "seed-kinds" // installs the CRDs that a seed needs
	Caches    = "caches"
	Gardenlet = "gardenlet"
	Operators = "seed-operators"
)
