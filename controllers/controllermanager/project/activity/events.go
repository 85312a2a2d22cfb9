package activity

import (
	"context"
	"maps"
	"time"

	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
)

type queue = workqueue.TypedRateLimitingInterface[Activity]

// activities makes an Activity from every event that a user caused. The first events after a start are about existing
// objects. They count with the time of creation of the object, so that no creation is missed.
func activities(now clock.PassiveClock) handler.TypedEventHandler[client.Object, Activity] {
	return handler.TypedFuncs[client.Object, Activity]{
		CreateFunc: func(_ context.Context, e event.TypedCreateEvent[client.Object], q queue) {
			add(q, e.Object, e.Object.GetCreationTimestamp().Time)
		},
		UpdateFunc: func(_ context.Context, e event.TypedUpdateEvent[client.Object], q queue) {
			if caused(e.ObjectOld, e.ObjectNew) {
				add(q, e.ObjectNew, now.Now())
			}
		},
		DeleteFunc: func(_ context.Context, e event.TypedDeleteEvent[client.Object], q queue) {
			add(q, e.Object, now.Now())
		},
	}
}

func add(q queue, object client.Object, at time.Time) {
	q.Add(Activity{Namespace: object.GetNamespace(), Second: at.Unix()})
}

// caused ignores the frequent status updates of controllers. Objects without a generation have no status, so every new
// version of them counts.
func caused(before, after client.Object) bool {
	switch {
	case before.GetResourceVersion() == after.GetResourceVersion():
		return false // a resync
	case after.GetGeneration() == 0:
		return true
	}
	return before.GetGeneration() != after.GetGeneration() || !maps.Equal(before.GetLabels(), after.GetLabels()) ||
		!maps.Equal(before.GetAnnotations(), after.GetAnnotations()) ||
		(before.GetDeletionTimestamp() == nil) != (after.GetDeletionTimestamp() == nil)
}
