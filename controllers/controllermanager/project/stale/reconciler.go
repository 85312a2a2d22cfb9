// Package stale finds Projects that nobody uses: it marks them with a time, tells when they will be deleted, and deletes
// them then. Use takes the marks away again.
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
	SyncPeriod time.Duration // after which a Project is looked at again at the latest
}

// Reconcile judges one Project.
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
			return true, nil // it is about to be made; its appearance wakes us
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

// delete confirms the deletion for the users, who had their time. A Project that has changed meanwhile is judged anew.
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

// earlier of two waits; no wait is 0.
func earlier(a, b time.Duration) time.Duration {
	if a == 0 || b < a {
		return b
	}
	return a
}
