package core

import (
	"slices"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// swallowed maps the rotations of all credentials to the single rotations that they include.
var swallowed = map[string][]string{
	constants.OperationRotateCredentialsStart: append([]string{
		constants.OperationRotateCAStart, constants.OperationRotateCAStartLegacy, constants.OperationRotateServiceAccountKeyStart,
	}, withoutNodes...),
	constants.OperationRotateCredentialsStartWithoutWorkersRollout: append([]string{
		constants.OperationRotateCAStartWithoutWorkersRollout, constants.OperationRotateServiceAccountKeyStartWithoutWorkersRollout,
	}, withoutNodes...),
	constants.OperationRotateCredentialsComplete: {
		constants.OperationRotateCAComplete, constants.OperationRotateCACompleteLegacy,
		constants.OperationRotateServiceAccountKeyComplete, constants.OperationRotateETCDEncryptionKeyComplete,
	},
}

// withoutNodes are rotations that do not touch worker pools.
var withoutNodes = []string{
	constants.OperationRotateETCDEncryptionKey, constants.OperationRotateETCDEncryptionKeyStart,
	constants.ShootOperationRotateKubeconfigCredentials, constants.ShootOperationRotateSSHKeypair,
	constants.ShootOperationRotateObservabilityCredentials,
}

// WithoutSwallowed returns the operations that no other of the given operations includes.
func WithoutSwallowed(operations []string) []string {
	return slices.DeleteFunc(slices.Clone(operations), func(one string) bool {
		return slices.ContainsFunc(operations, func(other string) bool { return slices.Contains(swallowed[other], one) })
	})
}
