package retry_test

import (
	"testing"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/shoot/retry"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestThrottled(t *testing.T) {
	type codes = []gardencorev1beta1.ErrorCode
	const failed = gardencorev1beta1.LastOperationStateFailed
	for name, tc := range map[string]struct {
		state gardencorev1beta1.LastOperationState
		codes codes
		want  bool
	}{
		"GCM-18 a cluster that was throttled is retried":        {failed, codes{gardencorev1beta1.ErrorInfraRateLimitsExceeded}, true},
		"GCM-18 one with another problem is not":                {failed, codes{gardencorev1beta1.ErrorInfraUnauthenticated}, false},
		"GCM-18 nor one with both":                              {failed, codes{gardencorev1beta1.ErrorInfraRateLimitsExceeded, gardencorev1beta1.ErrorInfraQuotaExceeded}, false},
		"GCM-18 a problem that heals does not matter":           {failed, codes{gardencorev1beta1.ErrorInfraRateLimitsExceeded, gardencorev1beta1.ErrorInfraResourcesDepleted}, true},
		"GCM-18 one that is still tried needs no further retry": {gardencorev1beta1.LastOperationStateError, codes{gardencorev1beta1.ErrorInfraRateLimitsExceeded}, false},
		"GCM-18 a failure without code is left":                 {failed, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := &gardencorev1beta1.Shoot{}
			shoot.Status.LastOperation = &gardencorev1beta1.LastOperation{State: tc.state}
			shoot.Status.LastErrors = []gardencorev1beta1.LastError{{Codes: tc.codes}}
			if got := retry.Throttled(shoot); got != tc.want {
				t.Errorf("got %t", got)
			}
		})
	}
}
