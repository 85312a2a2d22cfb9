package project

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// namespaceRetry is the interval for checking a terminating namespace when no event reports that it is gone.
const namespaceRetry = 5 * time.Second

// delete waits until the shoots are gone, removes or releases the namespace, removes the roles, and then removes the
// finalizer of the Project.
func (r *Reconciler) delete(ctx context.Context, project *gardencorev1beta1.Project) (reconcile.Result, error) {
	if !controllerutil.ContainsFinalizer(project, Finalizer) {
		return reconcile.Result{}, nil
	}
	namespaceName := NamespaceName(project)
	namespace, err := r.namespace(ctx, namespaceName)
	if err != nil {
		return reconcile.Result{}, err
	}
	if namespace != nil && namespace.Annotations[annotationProject] == string(project.UID) {
		inUse, err := r.hasShoots(ctx, namespaceName)
		if err != nil {
			return reconcile.Result{}, err
		}
		if inUse {
			r.event(project, corev1.EventTypeWarning, gardencorev1beta1.ProjectEventNamespaceNotEmpty,
				"Namespace "+namespaceName+" still contains shoots.")
			return reconcile.Result{RequeueAfter: nonEmptyRetry}, r.setPhase(ctx, project, gardencorev1beta1.ProjectTerminating)
		}
		gone, err := r.removeNamespace(ctx, project, namespace)
		if err != nil {
			r.event(project, corev1.EventTypeWarning, gardencorev1beta1.ProjectEventNamespaceDeletionFailed, err.Error())
			return reconcile.Result{}, errors.Join(err, r.setPhase(ctx, project, gardencorev1beta1.ProjectTerminating))
		}
		if !gone {
			return reconcile.Result{RequeueAfter: namespaceRetry}, r.setPhase(ctx, project, gardencorev1beta1.ProjectTerminating)
		}
	}
	if err := r.removeRoles(ctx, project, namespaceName); err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, client.IgnoreNotFound(patch.Metadata(ctx, r.Client, project, func() {
		controllerutil.RemoveFinalizer(project, Finalizer)
	}))
}

func (r *Reconciler) removeNamespace(ctx context.Context, project *gardencorev1beta1.Project, namespace *corev1.Namespace) (gone bool, err error) {
	if Keep(namespace) {
		err := r.Client.Patch(ctx, ReleasedNamespace(namespace, project), client.MergeFromWithOptions(namespace, client.MergeFromWithOptimisticLock{}))
		if err != nil {
			return false, fmt.Errorf("release namespace %q: %w", namespace.Name, err)
		}
		return true, nil
	}
	if namespace.DeletionTimestamp != nil {
		return false, nil
	}
	if err := r.Client.Delete(ctx, namespace); client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("delete namespace %q: %w", namespace.Name, err)
	}
	r.event(project, corev1.EventTypeNormal, gardencorev1beta1.ProjectEventNamespaceMarkedForDeletion,
		"Namespace "+namespace.Name+" is being deleted.")
	return false, nil
}

// removeRoles does not wait for garbage collection, since a new Project of the same name must not inherit any role. It
// also removes the role bindings of a namespace that is kept.
func (r *Reconciler) removeRoles(ctx context.Context, project *gardencorev1beta1.Project, namespace string) error {
	var errs []error
	for _, object := range Roles(project, namespace) {
		errs = append(errs, client.IgnoreNotFound(r.Client.Delete(ctx, object)))
	}
	errs = append(errs, r.pruneExtensionRoles(ctx, project, namespace, nil))
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("delete roles: %w", err)
	}
	return nil
}

func (r *Reconciler) hasShoots(ctx context.Context, namespace string) (bool, error) {
	shoots := &gardencorev1beta1.ShootList{}
	if err := r.Reader.List(ctx, shoots, client.InNamespace(namespace), client.Limit(1)); err != nil {
		return false, fmt.Errorf("list shoots: %w", err)
	}
	return len(shoots.Items) > 0, nil
}
