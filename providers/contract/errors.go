package contract

import (
	"errors"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// DefaultRetry is used by a Waiting without Retry. It is short, because creating a Shoot waits many times.
const DefaultRetry = 300 * time.Millisecond

// Waiting is returned while another controller has to finish first. It is not a failure: lastOperation stays
// Processing.
type Waiting struct {
	// For says what is waited for, as the end of the sentence "waiting for …".
	For string
	// Retry is the pause before the next attempt; DefaultRetry if zero.
	Retry time.Duration
	// Progress in percent, shown in lastOperation; 0 when unknown.
	Progress int32
}

func (w Waiting) Error() string { return "waiting for " + w.For }

// After is the pause before the next attempt.
func (w Waiting) After() time.Duration {
	if w.Retry > 0 {
		return w.Retry
	}
	return DefaultRetry
}

// codedError is an error with the facts that its reader needs to react to it.
type codedError struct {
	error
	codes     []gardencorev1beta1.ErrorCode
	permanent bool
}

func (e *codedError) Unwrap() error { return e.error }

// Causes implements webhook.Caused: the codes of the error, which Codes finds in the answer of an API server.
func (e *codedError) Causes() []metav1.StatusCause {
	var causes []metav1.StatusCause
	for _, code := range Codes(e) {
		causes = append(causes, metav1.StatusCause{Type: causeCode, Message: string(code)})
	}
	return causes
}

// causeCode is the type of a cause whose message is an error code.
const causeCode metav1.CauseType = "GardenerErrorCode"

// known are the codes that are taken from an answer. Webhooks in a shoot may say anything.
var known = []gardencorev1beta1.ErrorCode{
	gardencorev1beta1.ErrorInfraUnauthenticated, gardencorev1beta1.ErrorInfraUnauthorized, gardencorev1beta1.ErrorInfraInsufficientPrivileges,
	gardencorev1beta1.ErrorInfraQuotaExceeded, gardencorev1beta1.ErrorInfraRateLimitsExceeded, gardencorev1beta1.ErrorInfraDependencies,
	gardencorev1beta1.ErrorRetryableInfraDependencies, gardencorev1beta1.ErrorInfraResourcesDepleted, gardencorev1beta1.ErrorCleanupClusterResources,
	gardencorev1beta1.ErrorConfigurationProblem, gardencorev1beta1.ErrorRetryableConfigurationProblem, gardencorev1beta1.ErrorProblematicWebhook,
}

// WithCodes adds error codes for the user to err. Nil stays nil.
func WithCodes(err error, codes ...gardencorev1beta1.ErrorCode) error {
	if err == nil {
		return nil
	}
	return &codedError{error: err, codes: codes}
}

// Permanent marks err as an error that retries cannot fix. The object is not reconciled again until it is changed or
// annotated. Nil stays nil.
func Permanent(err error, codes ...gardencorev1beta1.ErrorCode) error {
	if err == nil {
		return nil
	}
	return &codedError{error: err, codes: codes, permanent: true}
}

// IsPermanent reports whether err or an error in its chain was made by Permanent.
func IsPermanent(err error) bool {
	for coded := (*codedError)(nil); errors.As(err, &coded); err = coded.error {
		if coded.permanent {
			return true
		}
	}
	return false
}

// Codes returns the codes in the tree of err, outermost first, each once. Among them are those with which a webhook of a provider refused a
// request.
func Codes(err error) []gardencorev1beta1.ErrorCode {
	var codes []gardencorev1beta1.ErrorCode
	collect(err, &codes)
	return codes
}

func collect(err error, codes *[]gardencorev1beta1.ErrorCode) {
	add := func(code gardencorev1beta1.ErrorCode) {
		if !slices.Contains(*codes, code) {
			*codes = append(*codes, code)
		}
	}
	switch said := err.(type) {
	case *codedError:
		for _, code := range said.codes {
			add(code)
		}
	case *apierrors.StatusError:
		if said.ErrStatus.Details == nil {
			break
		}
		for _, cause := range said.ErrStatus.Details.Causes {
			if cause.Type == causeCode && slices.Contains(known, gardencorev1beta1.ErrorCode(cause.Message)) {
				add(gardencorev1beta1.ErrorCode(cause.Message))
			}
		}
	}
	switch wrapper := err.(type) {
	case interface{ Unwrap() error }:
		collect(wrapper.Unwrap(), codes)
	case interface{ Unwrap() []error }:
		for _, inner := range wrapper.Unwrap() {
			collect(inner, codes)
		}
	}
}

// Classify returns the codes of err. An error of an infrastructure without codes gets the one that its message matches. Errors of API
// servers of Kubernetes get none that way: they say nothing about the infrastructure.
func Classify(err error) []gardencorev1beta1.ErrorCode {
	codes := Codes(err)
	var status apierrors.APIStatus
	if err == nil || len(codes) > 0 || errors.As(err, &status) {
		return codes
	}
	return helper.CodesOfMessage(err.Error())
}
