package retry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/machine/internal/retry"
)

func TestOnConflict(t *testing.T) {
	errBoom := errors.New("boom")
	conflict := fmt.Errorf("write: %w", apierrors.NewConflict(schema.GroupResource{}, "x", errBoom))
	for name, tc := range map[string]struct {
		inner     error
		want      error
		wantAgain bool
	}{
		"success stays success":            {},
		"a conflict is tried again":        {inner: conflict, wantAgain: true},
		"a conflict in the status as well": {inner: errors.Join(nil, conflict), wantAgain: true},
		"any other error is returned":      {inner: errBoom, want: errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			inner := reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
				return reconcile.Result{}, tc.inner
			})
			result, err := retry.OnConflict(inner).Reconcile(t.Context(), reconcile.Request{})
			if !errors.Is(err, tc.want) || (result.RequeueAfter > 0) != tc.wantAgain {
				t.Errorf("%+v, %v", result, err)
			}
		})
	}
}
