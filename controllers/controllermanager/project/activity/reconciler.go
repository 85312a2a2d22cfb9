// Package activity writes the time of the last activity into the status of Projects. Activity means that a Shoot,
// Plant, BackupEntry, Secret or Quota was created, changed or deleted. Package stale acts on that time.
package activity

import (
	"context"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/internal/projects"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// Activity is a change in a namespace. Two activities of the same second are equal.
type Activity struct {
	Namespace string
	Second    int64 // in Unix time
}

// Reconciler records activities. It keeps no state between two calls: the request contains the time, so the object may
// be gone before the request is handled.
type Reconciler struct {
	Client client.Client // reads from a cache
}

// Reconcile records one Activity, unless a later one is already recorded.
func (r *Reconciler) Reconcile(ctx context.Context, activity Activity) (reconcile.Result, error) {
	project, err := projects.OfNamespace(ctx, r.Client, activity.Namespace)
	if project == nil || err != nil {
		return reconcile.Result{}, err
	}
	at := metav1.NewTime(time.Unix(activity.Second, 0))
	if !isNews(project, at) {
		return reconcile.Result{}, nil
	}
	before := project.DeepCopy()
	project.Status.LastActivityTimestamp = &at
	return reconcile.Result{}, patch.Status(ctx, r.Client, project, before)
}

func isNews(project *gardencorev1beta1.Project, at metav1.Time) bool {
	last := project.Status.LastActivityTimestamp
	return last == nil || last.Before(&at)
}
