package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Time limits of what commands ask that show something.
const (
	// answersTimeout is the limit that a user can change. A busy machine needs some seconds, and an interrupt ends it earlier.
	answersTimeout = 30 * time.Second
	// completionTimeout is that of completions: nobody waits longer for a shell.
	completionTimeout = 5 * time.Second
)

// addTimeoutOfAnswers adds the flag --timeout of a command that shows what others answer.
func addTimeoutOfAnswers(cmd *cobra.Command, timeout *time.Duration) {
	cmd.Flags().DurationVar(timeout, "timeout", answersTimeout, "how long to wait for answers; what is late is named")
}

// late is the error of an answer that did not come within the limit; err otherwise. Servers know the limit of a request, and may notice
// its end first.
func late(err error, limit time.Duration) error {
	if errors.Is(err, context.DeadlineExceeded) || apierrors.IsTimeout(err) {
		return &lateError{limit: limit, err: err}
	}
	return err
}

// lateError says that the garden has not answered in time. It is a context.DeadlineExceeded.
type lateError struct {
	limit time.Duration
	err   error
}

func (e *lateError) Error() string {
	return fmt.Sprintf("the garden has not answered within %s", e.limit)
}

func (e *lateError) Unwrap() []error { return []error{e.err, context.DeadlineExceeded} }

// waitLonger is the hint of answers that are late.
const waitLonger = `the machine may be busy: --timeout waits longer, and "gardener logs" shows what the landscape does`
