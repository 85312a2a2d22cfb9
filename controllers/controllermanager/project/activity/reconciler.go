// Package activity notes in the status of Projects when something was last done in them: Shoots, Plants, BackupEntries,
// Secrets or Quotas created, changed or deleted. What follows from that is left to package stale.
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

// Activity is something done in a namespace. Activities of the same second are the same.
type Activity struct {
	Namespace string
	Second    int64 // of Unix time
}

// Reconciler notes activities. It keeps nothing between two calls: the time is part of the request, so that objects may be
// gone again before it is handled.
type Reconciler struct {
	Client client.Client // reads from a cache
}

// Reconcile notes one Activity, unless a later one is noted already.
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
