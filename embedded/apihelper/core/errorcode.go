package core

import (
	"regexp"
	"slices"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// messages match error messages of infrastructures with codes. The first match wins, so specific patterns come first.
var messages = []struct {
	code core.ErrorCode
	text *regexp.Regexp
}{
	{core.ErrorInfraRateLimitsExceeded, regexp.MustCompile(`(?i)RequestLimitExceeded|Throttling|too many requests|rate limit|TooManyRequests`)},
	{core.ErrorInfraResourcesDepleted, regexp.MustCompile(`(?i)InsufficientInstanceCapacity|ZONE_RESOURCE_POOL_EXHAUSTED|SkuNotAvailable|AllocationFailed|out of stock|no valid host|not enough capacity`)},
	{core.ErrorInfraQuotaExceeded, regexp.MustCompile(`(?i)LimitExceeded|quota ?exceeded|exceeded quota|insufficient quota|quota.*(has been met|exhausted)|QUOTA_EXCEEDED`)},
	{core.ErrorInfraUnauthenticated, regexp.MustCompile(`(?i)InvalidAccessKeyId|InvalidClientTokenId|SignatureDoesNotMatch|AuthFailure|invalid_grant|invalid_client|unauthenticated|authentication failed|invalid credentials|token.*expired`)},
	{core.ErrorInfraUnauthorized, regexp.MustCompile(`(?i)UnauthorizedOperation|AccessDenied|AuthorizationFailed|insufficient privileges|not authorized|permission.*denied`)},
	{core.ErrorRetryableInfraDependencies, regexp.MustCompile(`(?i)RetryableError`)},
	{core.ErrorInfraDependencies, regexp.MustCompile(`(?i)DependencyViolation|resourceInUse|is in use by|still in use|OperationNotAllowed|has dependent`)},
	{core.ErrorRetryableConfigurationProblem, regexp.MustCompile(`(?i)misconfigured.*PodDisruptionBudget|violates? the pod's disruption budget`)},
	{core.ErrorConfigurationProblem, regexp.MustCompile(`(?i)InvalidParameterValue|InvalidParameter\b|not supported in your requested|unsupported (region|machine|volume)|IPs are not permitted`)},
}

// CodesOfMessage returns the code that the message of an infrastructure matches, if any. Messages of other origin, such as those of an API
// server of Kubernetes, may match by accident.
func CodesOfMessage(message string) []core.ErrorCode {
	for _, known := range messages {
		if known.text.MatchString(message) {
			return []core.ErrorCode{known.code}
		}
	}
	return nil
}

// retried are the codes of errors after which an operation is retried automatically.
var retried = []core.ErrorCode{
	core.ErrorRetryableInfraDependencies,
	core.ErrorInfraResourcesDepleted,
	core.ErrorCleanupClusterResources,
	core.ErrorRetryableConfigurationProblem,
}

// HasNonRetryableCode reports whether one of the codes means that a retry is useless.
func HasNonRetryableCode(codes ...core.ErrorCode) bool {
	return slices.ContainsFunc(codes, func(code core.ErrorCode) bool { return !slices.Contains(retried, code) })
}
