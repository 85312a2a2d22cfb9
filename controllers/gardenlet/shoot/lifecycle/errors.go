package lifecycle

import (
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	"github.com/gardener-up/gardener-up/controllers/internal/flow"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// LastErrors converts the error of a run into the errors that users see: one entry for every failed task.
func LastErrors(err error, now time.Time) []gardencorev1beta1.LastError {
	stamp := metav1.NewTime(now)
	tasks := flow.TaskErrors(err)
	if len(tasks) == 0 {
		return []gardencorev1beta1.LastError{{Description: err.Error(), Codes: contract.Codes(err), LastUpdateTime: &stamp}}
	}
	var out []gardencorev1beta1.LastError
	for _, task := range tasks {
		out = append(out, gardencorev1beta1.LastError{
			Description: task.Error(), TaskID: ptr.To(task.Task), Codes: contract.Codes(task.Err), LastUpdateTime: &stamp,
		})
	}
	return out
}

// Failure is the result of a failed run for the status.
type Failure struct {
	Errors      []gardencorev1beta1.LastError
	State       gardencorev1beta1.LastOperationState
	Description string
}

// Fail decides whether the operation is retried. It is not retried if only a change by a user or operator helps, or if
// the retry duration since the start of the cycle has passed.
func Fail(err error, cycleStart *metav1.Time, retryDuration time.Duration, now time.Time) Failure {
	out := Failure{Errors: LastErrors(err, now), State: gardencorev1beta1.LastOperationStateError}
	var texts []string
	for _, lastError := range out.Errors {
		texts = append(texts, lastError.Description)
		if extension.NotRetryable(lastError.Codes) {
			out.State = gardencorev1beta1.LastOperationStateFailed
		}
	}
	if cycleStart != nil && now.Sub(cycleStart.Time) >= retryDuration {
		out.State = gardencorev1beta1.LastOperationStateFailed
	}
	out.Description = strings.Join(texts, "; ")
	if out.State == gardencorev1beta1.LastOperationStateError {
		out.Description += suffixRetry
	}
	return out
}
