// Package stale finds unused Projects. It writes the time since when they are stale, then the time of their deletion,
// and deletes them at that time. Using a Project again removes both times.
package stale

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// Reconciler handles Projects. All fields are required.
type Reconciler struct {
	Client     client.Client // reads from a cache
	Clock      clock.PassiveClock
	Periods    Periods
	SyncPeriod time.Duration // every Project is checked at least this often
}

// Reconcile decides on one Project.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	project := &gardencorev1beta1.Project{}
	if err := r.Client.Get(ctx, request.NamespacedName, project); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	namespace := ptr.Deref(project.Spec.Namespace, "")
	if project.DeletionTimestamp != nil || namespace == "" {
		return reconcile.Result{}, nil
	}
	used, err := r.exemptOrUsed(ctx, namespace)
	if err != nil {
		return reconcile.Result{}, err
	}
	decision := Decide(project, used, r.Periods, r.Clock.Now())
	if err := r.note(ctx, project, decision); err != nil {
		return reconcile.Result{}, err
	}
	if decision.Delete {
		log.FromContext(ctx).Info("Project is deleted, nobody has used it", "staleSince", decision.StaleSince)
		return reconcile.Result{}, r.delete(ctx, project)
	}
	return reconcile.Result{RequeueAfter: earlier(decision.After, r.SyncPeriod)}, nil
}

func (r *Reconciler) exemptOrUsed(ctx context.Context, name string) (bool, error) {
	if name == constants.GardenNamespace {
		return true, nil
	}
	namespace := &metav1.PartialObjectMetadata{}
	namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	if err := r.Client.Get(ctx, client.ObjectKey{Name: name}, namespace); err != nil {
		if apierrors.IsNotFound(err) {
			return true, nil // the namespace is about to be created, and its creation wakes the project
		}
		return false, fmt.Errorf("read namespace %q: %w", name, err)
	}
	if namespace.Annotations[constants.AnnotationProjectSkipStaleCheck] == "true" {
		return true, nil
	}
	return Used(ctx, r.Client, name)
}

func (r *Reconciler) note(ctx context.Context, project *gardencorev1beta1.Project, decision Decision) error {
	before := project.DeepCopy()
	project.Status.StaleSinceTimestamp, project.Status.StaleAutoDeleteTimestamp = decision.StaleSince, decision.AutoDelete
	return patch.Status(ctx, r.Client, project, before)
}

// delete also sets the confirmation of the deletion, since users had time to react. If the Project has changed
// meanwhile, the controller decides again.
func (r *Reconciler) delete(ctx context.Context, project *gardencorev1beta1.Project) error {
	err := patch.Metadata(ctx, r.Client, project, func() {
		metav1.SetMetaDataAnnotation(&project.ObjectMeta, constants.ConfirmationDeletion, "true")
	})
	if err != nil {
		return err
	}
	unchanged := client.Preconditions{UID: &project.UID, ResourceVersion: &project.ResourceVersion}
	if err := r.Client.Delete(ctx, project, unchanged); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete project %q: %w", project.Name, err)
	}
	return nil
}

// earlier returns the shorter of two waits; 0 means no wait.
func earlier(a, b time.Duration) time.Duration {
	if a == 0 || b < a {
		return b
	}
	return a
}
