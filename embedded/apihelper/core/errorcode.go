package core

import (
	"regexp"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// CodedError is an error with error codes, by which users and controllers recognise classes of errors.
type CodedError struct {
	Err   error
	Codes []core.ErrorCode
}

// WithCodes adds codes to an error. It returns nil for a nil error.
func WithCodes(err error, codes ...core.ErrorCode) error {
	if err == nil {
		return nil
	}
	return &CodedError{Err: err, Codes: codes}
}

func (e *CodedError) Error() string { return e.Err.Error() }

// Unwrap returns the error without codes.
func (e *CodedError) Unwrap() error { return e.Err }

// ErrorCodes returns the sorted, distinct codes of all coded errors that an error wraps.
func ErrorCodes(err error) []core.ErrorCode {
	var codes []core.ErrorCode
	collectCodes(err, &codes)
	slices.Sort(codes)
	return slices.Compact(codes)
}

func collectCodes(err error, codes *[]core.ErrorCode) {
	if coded, ok := err.(*CodedError); ok {
		*codes = append(*codes, coded.Codes...)
	}
	switch wrapper := err.(type) {
	case interface{ Unwrap() error }:
		collectCodes(wrapper.Unwrap(), codes)
	case interface{ Unwrap() []error }:
		for _, inner := range wrapper.Unwrap() {
			collectCodes(inner, codes)
		}
	}
}

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

// CodesOf returns the codes of an error. An error without codes gets the code that its message matches, if any.
func CodesOf(err error) []core.ErrorCode {
	if err == nil {
		return nil
	}
	if codes := ErrorCodes(err); len(codes) > 0 {
		return codes
	}
	for _, message := range messages {
		if message.text.MatchString(err.Error()) {
			return []core.ErrorCode{message.code}
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

// TaskError is the error of a flow task.
type TaskError struct {
	Task string
	Err  error
}

// LastErrors converts the error of an operation to one LastError for each failed task.
func LastErrors(now metav1.Time, failed ...TaskError) []core.LastError {
	var result []core.LastError
	for _, task := range failed {
		lastError := core.LastError{Description: task.Err.Error(), Codes: CodesOf(task.Err), LastUpdateTime: &now}
		if task.Task != "" {
			lastError.TaskID = &task.Task
		}
		result = append(result, lastError)
	}
	return result
}

// HasCode reports whether an error has a code.
func HasCode(err error, code core.ErrorCode) bool { return slices.Contains(ErrorCodes(err), code) }
