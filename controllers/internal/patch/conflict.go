package patch

import (
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// conflictRetry is the pause after a conflict, so that the cache can catch up with another writer.
const conflictRetry = 250 * time.Millisecond

// AfterConflict is the result of a reconciliation that ends with the error of a write. After a conflict the object is reconciled again soon: that
// is no failure, since other controllers write the object, too. Any other error stays an error, and nil is success.
func AfterConflict(err error) (reconcile.Result, error) {
	if apierrors.IsConflict(err) {
		return reconcile.Result{RequeueAfter: conflictRetry}, nil
	}
	return reconcile.Result{}, err
}
