package reconcile

import (
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// startProgress is shown until an actuator reports its progress.
const startProgress int32 = 1

// begun records in the status that an operation starts. It removes the error of an earlier operation.
func begun(obj extensionsv1alpha1.Object, t gardencorev1beta1.LastOperationType, now time.Time) {
	status := obj.GetExtensionStatus()
	status.SetObservedGeneration(obj.GetGeneration())
	status.SetLastError(nil)
	status.SetLastOperation(&gardencorev1beta1.LastOperation{
		Type:           t,
		State:          gardencorev1beta1.LastOperationStateProcessing,
		Progress:       startProgress,
		Description:    fmt.Sprintf("%s of %s has started", t, contract.Kind(obj)),
		LastUpdateTime: metav1.NewTime(now),
	})
}

// ended records the result of an actuator's call in the status. A call that waits for the same thing as before
// changes nothing, so that waiting causes no writes.
func ended(obj extensionsv1alpha1.Object, result error, now time.Time) {
	status, kind := obj.GetExtensionStatus(), contract.Kind(obj)
	status.SetObservedGeneration(obj.GetGeneration())
	was := *status.GetLastOperation()
	is := was
	var waiting contract.Waiting
	switch {
	case result == nil:
		is.State, is.Progress = gardencorev1beta1.LastOperationStateSucceeded, 100
		is.Description = fmt.Sprintf("%s of %s has succeeded", is.Type, kind)
		status.SetLastError(nil)
	case errors.As(result, &waiting):
		is.State, is.Progress = gardencorev1beta1.LastOperationStateProcessing, max(waiting.Progress, startProgress)
		is.Description = sentence(waiting)
		status.SetLastError(nil)
	default:
		is.State = gardencorev1beta1.LastOperationStateError
		is.Description = fmt.Sprintf("%s of %s has failed: %v", is.Type, kind, result)
		status.SetLastError(lastError(status.GetLastError(), result, now))
	}
	if is != was || result == nil {
		is.LastUpdateTime = metav1.NewTime(now)
	}
	status.SetLastOperation(&is)
}

func lastError(was *gardencorev1beta1.LastError, err error, now time.Time) *gardencorev1beta1.LastError {
	is := &gardencorev1beta1.LastError{Description: err.Error(), Codes: contract.Classify(err)}
	if was != nil && was.Description == is.Description && was.LastUpdateTime != nil {
		is.LastUpdateTime = was.LastUpdateTime
		return is
	}
	t := metav1.NewTime(now)
	is.LastUpdateTime = &t
	return is
}

func sentence(err error) string {
	text := err.Error()
	return strings.ToUpper(text[:1]) + text[1:]
}
