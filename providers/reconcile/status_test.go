package reconcile

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

var (
	errBoom = errors.New("boom")
	before  = time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	now     = before.Add(time.Minute)
)

func TestEnded(t *testing.T) {
	at := func(when time.Time, state gardencorev1beta1.LastOperationState, progress int32, text string) *gardencorev1beta1.LastOperation {
		return &gardencorev1beta1.LastOperation{
			Type: "Create", State: state, Progress: progress, Description: text, LastUpdateTime: metav1.NewTime(when),
		}
	}
	stamp := metav1.NewTime(now)
	for name, tc := range map[string]struct {
		last   *gardencorev1beta1.LastOperation
		result error
		want   *gardencorev1beta1.LastOperation
		err    *gardencorev1beta1.LastError
	}{
		"EXT-1 success": {
			last: at(before, "Processing", 1, "started"),
			want: at(now, "Succeeded", 100, "Create of Network has succeeded"),
		},
		"EXT-1 waiting is processing": {
			last: at(before, "Processing", 1, "started"), result: contract.Waiting{For: "machines", Progress: 40},
			want: at(now, "Processing", 40, "Waiting for machines"),
		},
		"EXT-1 waiting for the same as before changes nothing": {
			last: at(before, "Processing", 1, "Waiting for machines"), result: contract.Waiting{For: "machines"},
			want: at(before, "Processing", 1, "Waiting for machines"),
		},
		"EXT-1 an error keeps the progress and tells the codes": {
			last: at(before, "Processing", 40, "started"), result: contract.WithCodes(errBoom, "ERR_INFRA_QUOTA_EXCEEDED"),
			want: at(now, "Error", 40, "Create of Network has failed: boom"),
			err:  &gardencorev1beta1.LastError{Description: "boom", Codes: []gardencorev1beta1.ErrorCode{"ERR_INFRA_QUOTA_EXCEEDED"}, LastUpdateTime: &stamp},
		},
		"GLT-37 an error without codes is known by its message": {
			last: at(before, "Processing", 40, "started"), result: errors.New("DependencyViolation: in use"),
			want: at(now, "Error", 40, "Create of Network has failed: DependencyViolation: in use"),
			err:  &gardencorev1beta1.LastError{Description: "DependencyViolation: in use", Codes: []gardencorev1beta1.ErrorCode{"ERR_INFRA_DEPENDENCIES"}, LastUpdateTime: &stamp},
		},
	} {
		t.Run(name, func(t *testing.T) {
			obj := &extensionsv1alpha1.Network{ObjectMeta: metav1.ObjectMeta{Generation: 7}}
			obj.Status.LastOperation = tc.last
			ended(obj, tc.result, now)
			if diff := cmp.Diff(tc.want, obj.Status.LastOperation); diff != "" {
				t.Errorf("last operation (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.err, obj.Status.LastError); diff != "" {
				t.Errorf("last error (-want +got):\n%s", diff)
			}
			if obj.Status.ObservedGeneration != 7 {
				t.Errorf("observed generation is %d, want 7", obj.Status.ObservedGeneration)
			}
		})
	}
}

func TestBegunForgetsFormerErrors(t *testing.T) {
	obj := &extensionsv1alpha1.Network{}
	obj.Status.LastError = &gardencorev1beta1.LastError{Description: "boom"}
	begun(obj, gardencorev1beta1.LastOperationTypeReconcile, now)
	if obj.Status.LastError != nil || obj.Status.LastOperation.State != gardencorev1beta1.LastOperationStateProcessing {
		t.Errorf("EXT-1 status is %+v after the start, want Processing without an error", obj.Status.DefaultStatus)
	}
}

func TestResult(t *testing.T) {
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "networks"}, "n", errBoom)
	for name, tc := range map[string]struct {
		err   error
		after time.Duration
		want  error
	}{
		"done":                         {},
		"waiting comes back by itself": {err: contract.Waiting{For: "machines", Retry: time.Second}, after: time.Second},
		"a conflict comes back soon":   {err: conflict, after: conflictRetry},
		"an error is backed off":       {err: errBoom, want: errBoom},
		"a permanent error does not come back": {
			err: contract.Permanent(errBoom), want: reconcile.TerminalError(nil),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := result(tc.err)
			if got.RequeueAfter != tc.after || !errors.Is(err, tc.want) {
				t.Errorf("result is %v, %v; want %v, %v", got.RequeueAfter, err, tc.after, tc.want)
			}
		})
	}
}
