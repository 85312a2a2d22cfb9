// Package flow turns a Shoot into steps. One page has the order of reconciliation, which is that of restoration,
// too. Others have the orders of deletion and of migration. The
// packages below it do the work of the steps, with one package per phase of a shoot. Package flow does not decide when
// a flow runs or what its result means; the controller of the Shoot does.
//
// Every step may run again at any time, also after the process was killed in the middle of it.
package flow

import (
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/connection"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/credentials"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/facts"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/workers"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/rotation"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Plan is one run of a flow over a shoot.
type Plan struct {
	operation *operation.Operation
	facts     facts.Facts
	restored  *gardencorev1beta1.ShootState // nil unless the shoot comes from another seed
	parts
	outputs
}

// outputs are the results of steps for later steps.
type outputs struct {
	made                  output[credentials.Made]
	clusterIP             output[string]
	found                 output[*extensionsv1alpha1.Infrastructure]
	shoot                 output[connection.Connection]
	userData              output[workers.UserData]
	infrastructureRequest output[seed.Requests]
	extensionsBefore      output[seed.Requests]
	extensionsAfter       output[seed.Requests]
	extensionsLast        output[seed.Requests]
	controlPlaneRequest   output[seed.Requests]
	networkRequest        output[seed.Requests]
	runtimeRequests       output[seed.Requests]
	osRequests            output[seed.Requests]
	workerRequest         output[seed.Requests]
}

// New makes a plan. It does not run anything.
func New(config Config) *Plan {
	return &Plan{operation: config.Operation, facts: config.Facts, restored: config.Restored, parts: newParts(config)}
}

// EncryptionKey is how far the rotation of the encryption key is after a successful run.
func (p *Plan) EncryptionKey() rotation.EncryptionKey {
	made := p.made.get()
	return rotation.EncryptionKey{
		Rewritten: credentials.ObjectsRewritten(made.Current(constants.SecretNameETCDEncryptionKey)),
		Single:    made.Old(constants.SecretNameETCDEncryptionKey) == nil,
	}
}

// Secrets is the manager of the shoot's secrets, nil before they are initialized.
func (p *Plan) Secrets() *secretsmanager.Manager { return p.made.get().Manager }
