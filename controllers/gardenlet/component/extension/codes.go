package extension

import (
	"slices"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// notRetryable are the codes of errors that only a user or an operator can resolve.
var notRetryable = []gardencorev1beta1.ErrorCode{
	gardencorev1beta1.ErrorInfraUnauthenticated,
	gardencorev1beta1.ErrorInfraUnauthorized,
	gardencorev1beta1.ErrorInfraInsufficientPrivileges,
	gardencorev1beta1.ErrorInfraQuotaExceeded,
	gardencorev1beta1.ErrorInfraRateLimitsExceeded,
	gardencorev1beta1.ErrorInfraDependencies,
	gardencorev1beta1.ErrorConfigurationProblem,
	gardencorev1beta1.ErrorProblematicWebhook,
}

// NotRetryable reports whether one of the codes means that a retry is useless until somebody makes a change.
func NotRetryable(codes []gardencorev1beta1.ErrorCode) bool {
	return slices.ContainsFunc(codes, func(code gardencorev1beta1.ErrorCode) bool { return slices.Contains(notRetryable, code) })
}
