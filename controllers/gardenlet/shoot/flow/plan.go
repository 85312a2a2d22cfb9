// Package flow turns the wish for a shoot into steps. It has one page with the order of reconciliation, one with that of
// deletion, and a package beside them for every phase of a shoot, which does what the steps of the phase do. It decides
// neither when a flow runs nor what its outcome means; that is up to the controller of the Shoot.
//
// Every step may run at any time again, also after the process was killed in the middle of it.
package flow

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/facts"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/workers"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Plan is one run of a flow over a shoot.
type Plan struct {
	operation *operation.Operation
	facts     facts.Facts
	parts
	outputs
}

// outputs are what steps leave for later ones.
type outputs struct {
	made                  output[credentials.Made]
	clusterIP             output[string]
	found                 output[*extensionsv1alpha1.Infrastructure]
	shoot                 output[connection.Connection]
	userData              output[workers.UserData]
	infrastructureRequest output[seed.Requests]
	extensionsBefore      output[seed.Requests]
	extensionsAfter       output[seed.Requests]
	controlPlaneRequest   output[seed.Requests]
	networkRequest        output[seed.Requests]
	runtimeRequests       output[seed.Requests]
	osRequests            output[seed.Requests]
	workerRequest         output[seed.Requests]
}

// New makes a plan. It does nothing yet.
func New(config Config) *Plan {
	return &Plan{operation: config.Operation, facts: config.Facts, parts: newParts(config)}
}

// Secrets is the manager of the shoot's secrets, nil before they are initialized.
func (p *Plan) Secrets() *secretsmanager.Manager { return p.made.get().Manager }
