package contract_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

var errBoom = errors.New("boom")

func TestErrors(t *testing.T) {
	quota, auth := gardencorev1beta1.ErrorInfraQuotaExceeded, gardencorev1beta1.ErrorInfraUnauthorized
	for name, tc := range map[string]struct {
		err       error
		permanent bool
		codes     []gardencorev1beta1.ErrorCode
	}{
		"no error stays none":                                  {err: contract.Permanent(contract.WithCodes(nil, quota), auth)},
		"a plain error is tried again":                         {err: errBoom},
		"codes alone do not make an error permanent":           {err: contract.WithCodes(errBoom, quota), codes: []gardencorev1beta1.ErrorCode{quota}},
		"a permanent error is seen below a wrapping":           {err: fmt.Errorf("try: %w", contract.Permanent(errBoom, auth)), permanent: true, codes: []gardencorev1beta1.ErrorCode{auth}},
		"a permanent error is seen below other codes":          {err: contract.WithCodes(contract.Permanent(errBoom, auth), quota), permanent: true, codes: []gardencorev1beta1.ErrorCode{quota, auth}},
		"the same code is named once":                          {err: contract.WithCodes(contract.WithCodes(errBoom, quota), quota), codes: []gardencorev1beta1.ErrorCode{quota}},
		"waiting has no codes and does not last":               {err: contract.Waiting{For: "machines"}},
		"GLT-37 codes in the answer of an API server are told": {err: fmt.Errorf("write: %w", answered("GardenerErrorCode", quota)), codes: []gardencorev1beta1.ErrorCode{quota}},
		"GLT-37 other causes of an answer are no codes":        {err: answered("FieldValueInvalid", quota)},
		"GLT-37 neither is a code that nobody knows":           {err: answered("GardenerErrorCode", "ERR_INVENTED")},
		"GLT-37 codes of all joined errors are told":           {err: errors.Join(contract.WithCodes(errBoom, quota), fmt.Errorf("try: %w", contract.WithCodes(errBoom, auth))), codes: []gardencorev1beta1.ErrorCode{quota, auth}},
		"one of several joined errors may be the one":          {err: errors.Join(errBoom, contract.Permanent(errBoom, quota)), permanent: true, codes: []gardencorev1beta1.ErrorCode{quota}},
		"wrapping a permanent error keeps what it was":         {err: contract.Permanent(fmt.Errorf("read: %w", errBoom)), permanent: true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := contract.IsPermanent(tc.err); got != tc.permanent {
				t.Errorf("IsPermanent is %v, want %v", got, tc.permanent)
			}
			if diff := cmp.Diff(tc.codes, contract.Codes(tc.err)); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
	}
	if !errors.Is(contract.Permanent(errBoom), errBoom) {
		t.Errorf("the cause is lost")
	}
}

func TestClassify(t *testing.T) {
	throttled := errors.New("RequestLimitExceeded: slow down")
	for name, tc := range map[string]struct {
		err  error
		want []gardencorev1beta1.ErrorCode
	}{
		"no error has no code":                                      {},
		"an unknown message has none":                               {err: errBoom},
		"GLT-37 a message of an account":                            {fmt.Errorf("create network: %w", throttled), []gardencorev1beta1.ErrorCode{"ERR_INFRA_RATE_LIMITS_EXCEEDED"}},
		"an own code wins over the message":                         {contract.WithCodes(throttled, "ERR_INFRA_DEPENDENCIES"), []gardencorev1beta1.ErrorCode{"ERR_INFRA_DEPENDENCIES"}},
		"an API server of Kubernetes says nothing about an account": {err: fmt.Errorf("read secret: %w", apierrors.NewTooManyRequestsError("too many requests"))},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, contract.Classify(tc.err)); diff != "" {
				t.Errorf("codes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWaitingAfter(t *testing.T) {
	if got := (contract.Waiting{}).After(); got != contract.DefaultRetry {
		t.Errorf("waits %v by default, want %v", got, contract.DefaultRetry)
	}
	if got := (contract.Waiting{Retry: time.Second}).After(); got != time.Second {
		t.Errorf("waits %v, want a second", got)
	}
}

func TestFinalizer(t *testing.T) {
	for want, obj := range map[string]extensionsv1alpha1.Object{
		"extensions.gardener.cloud/infrastructure":         &extensionsv1alpha1.Infrastructure{},
		"extensions.gardener.cloud/operatingsystemconfigs": &extensionsv1alpha1.OperatingSystemConfig{},
		"extensions.gardener.cloud/dnsrecord":              &extensionsv1alpha1.DNSRecord{},
	} {
		if got := contract.Finalizer(obj); got != want {
			t.Errorf("finalizer of %s is %q, want %q", contract.Kind(obj), got, want)
		}
	}
}

// answered is the refusal of a webhook.
func answered(kind metav1.CauseType, code gardencorev1beta1.ErrorCode) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: kind, Message: string(code)}}}}}
}
