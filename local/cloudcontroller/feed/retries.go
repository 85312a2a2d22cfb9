package feed

import (
	"context"
	"errors"
	"sync"

	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Retries is a reconciler that looks again only at so many objects: those at which another one wants to look again, or where it fails. A queue
// keeps each of these. The others are looked at when they change, or with the next list. It is for one controller.
type Retries struct {
	// Of is the other reconciler.
	Of reconcile.Reconciler
	// Most is how many objects are looked at again.
	Most int

	lock    sync.Mutex
	waiting map[reconcile.Request]struct{}
}

// Reconcile implements reconcile.Reconciler.
func (r *Retries) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	result, err := r.Of.Reconcile(ctx, request)
	again := result.RequeueAfter > 0
	if err != nil {
		again = !errors.Is(err, reconcile.TerminalError(nil))
	}
	if r.admit(request, again) {
		return result, err
	}
	if err != nil {
		log.FromContext(ctx).V(1).Info("Too many objects fail, will look at this one with the next list", "reason", err.Error())
	}
	return reconcile.Result{}, nil
}

// admit remembers whether an object is looked at again. It is false if there are too many of them.
func (r *Retries) admit(request reconcile.Request, again bool) bool {
	r.lock.Lock()
	defer r.lock.Unlock()
	if !again {
		delete(r.waiting, request)
		return true
	}
	if _, known := r.waiting[request]; known {
		return true
	}
	if len(r.waiting) >= r.Most {
		return false
	}
	if r.waiting == nil {
		r.waiting = map[reconcile.Request]struct{}{}
	}
	r.waiting[request] = struct{}{}
	return true
}
