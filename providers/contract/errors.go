package contract

import (
	"errors"
	"time"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// DefaultRetry is how long a Waiting without Retry waits; short, because creating a Shoot passes through many waits.
const DefaultRetry = 300 * time.Millisecond

// Waiting is returned while somebody else has to finish first. It is no failure: lastOperation stays Processing.
type Waiting struct {
	// For says what is waited for, as the end of the sentence "waiting for …".
	For string
	// Retry is after how long to look again; DefaultRetry when zero.
	Retry time.Duration
	// Progress in percent, shown in lastOperation; 0 when unknown.
	Progress int32
}

func (w Waiting) Error() string { return "waiting for " + w.For }

// After is how long to wait before looking again.
func (w Waiting) After() time.Duration {
	if w.Retry > 0 {
		return w.Retry
	}
	return DefaultRetry
}

// codedError is an error with what its reader has to know to act on it.
type codedError struct {
	error
	codes     []gardencorev1beta1.ErrorCode
	permanent bool
}

func (e *codedError) Unwrap() error { return e.error }

// WithCodes adds error codes for the user to err. Nil stays nil.
func WithCodes(err error, codes ...gardencorev1beta1.ErrorCode) error {
	if err == nil {
		return nil
	}
	return &codedError{error: err, codes: codes}
}

// Permanent marks err as one that trying again cannot cure; the object is not touched again before it changes or is
// annotated. Nil stays nil.
func Permanent(err error, codes ...gardencorev1beta1.ErrorCode) error {
	if err == nil {
		return nil
	}
	return &codedError{error: err, codes: codes, permanent: true}
}

// IsPermanent tells whether err or an error in its chain was made by Permanent.
func IsPermanent(err error) bool {
	for coded := (*codedError)(nil); errors.As(err, &coded); err = coded.error {
		if coded.permanent {
			return true
		}
	}
	return false
}

// Codes returns the codes in the chain of err, outermost first, each once.
func Codes(err error) []gardencorev1beta1.ErrorCode {
	var codes []gardencorev1beta1.ErrorCode
	seen := map[gardencorev1beta1.ErrorCode]bool{}
	for coded := (*codedError)(nil); errors.As(err, &coded); err = coded.error {
		for _, code := range coded.codes {
			if !seen[code] {
				seen[code] = true
				codes = append(codes, code)
			}
		}
	}
	return codes
}
