package project

import (
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
)

// Project is the namespace of the Shoot in the garden.
type Project struct {
	Operation *operation.Operation
	// Client writes to the garden.
	Client client.Client
}
