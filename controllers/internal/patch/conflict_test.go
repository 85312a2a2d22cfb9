package patch

import (
	"errors"
	"fmt"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func TestAfterConflict(t *testing.T) {
	errBoom := errors.New("boom")
	conflict := apierrors.NewConflict(schema.GroupResource{Resource: "seeds"}, "local", errBoom)
	for name, tc := range map[string]struct {
		err, want error
		result    reconcile.Result
	}{
		"success ends it":              {},
		"a conflict comes again soon":  {err: fmt.Errorf("patch: %w", conflict), result: reconcile.Result{RequeueAfter: conflictRetry}},
		"another error stays an error": {err: errBoom, want: errBoom},
	} {
		t.Run(name, func(t *testing.T) {
			if result, err := AfterConflict(tc.err); result != tc.result || !errors.Is(err, tc.want) {
				t.Errorf("got %v, %v", result, err)
			}
		})
	}
}
