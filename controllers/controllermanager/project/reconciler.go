// Package project creates the namespace of every Project, its quota and the roles of its members. It removes them when
// the Project is deleted.
//
// The packages stale and activity handle stale projects and the time of last activity.
package project

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/tools/events"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	// Finalizer keeps a Project until its namespace is gone.
	Finalizer = "gardener"

	fieldOwner = client.FieldOwner("gardener-controller-manager")
	action     = "Reconcile"
	// refusedRetry is the retry interval of a project whose namespace cannot be used, in case no event wakes it.
	refusedRetry = time.Minute
	// nonEmptyRetry is the same for a project that waits for the deletion of its shoots.
	nonEmptyRetry = time.Minute
)

// Reconciler handles Projects. All fields but Quotas are required.
type Reconciler struct {
	Client   client.Client
	Reader   client.Reader // uncached, for roles and quotas
	Recorder events.EventRecorder
	Quotas   []Quota // the first quota that selects a project is used
}

// Reconcile brings namespace and rights of one Project up to date. It is idempotent.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	project := &gardencorev1beta1.Project{}
	if err := r.Client.Get(ctx, request.NamespacedName, project); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	project = project.DeepCopy()
	if project.DeletionTimestamp != nil {
		return r.delete(ctx, project)
	}
	if err := patch.Metadata(ctx, r.Client, project, func() { controllerutil.AddFinalizer(project, Finalizer) }); err != nil {
		return patch.AfterConflict(err) // other controllers write a new Project, too
	}
	if project.Status.Phase == "" {
		if err := r.setPhase(ctx, project, gardencorev1beta1.ProjectPending); err != nil {
			return reconcile.Result{}, err
		}
	}
	if err := r.reconcile(ctx, project); err != nil {
		r.event(project, corev1.EventTypeWarning, gardencorev1beta1.ProjectEventNamespaceReconcileFailed, err.Error())
		phaseErr := r.setPhase(ctx, project, gardencorev1beta1.ProjectFailed)
		if errors.As(err, new(refusal)) {
			return reconcile.Result{RequeueAfter: refusedRetry}, phaseErr
		}
		return reconcile.Result{}, errors.Join(err, phaseErr)
	}
	if project.Status.Phase != gardencorev1beta1.ProjectReady {
		r.event(project, corev1.EventTypeNormal, gardencorev1beta1.ProjectEventNamespaceReconcileSuccessful,
			"Namespace "+*project.Spec.Namespace+" is ready.")
	}
	return reconcile.Result{}, r.setPhase(ctx, project, gardencorev1beta1.ProjectReady)
}

// refusal is an error that only a user can resolve.
type refusal struct{ error }

func (r *Reconciler) reconcile(ctx context.Context, project *gardencorev1beta1.Project) error {
	namespace, err := r.ensureNamespace(ctx, project)
	if err != nil {
		return err
	}
	if err := r.rememberNamespace(ctx, project, namespace); err != nil {
		return err
	}
	if err := r.ensureQuota(ctx, project, namespace); err != nil {
		return err
	}
	roles := Roles(project, namespace)
	if err := (patch.Applier{Client: r.Client, Owner: fieldOwner}).ApplyAll(ctx, roles...); err != nil {
		return err
	}
	return r.pruneExtensionRoles(ctx, project, namespace, roles)
}

func (r *Reconciler) ensureNamespace(ctx context.Context, project *gardencorev1beta1.Project) (string, error) {
	existing, err := r.namespace(ctx, NamespaceName(project))
	if err != nil {
		return "", err
	}
	desired, err := DesiredNamespace(project, existing)
	if err != nil {
		return "", refusal{err}
	}
	switch {
	case existing == nil:
		err = r.Client.Create(ctx, desired)
	case !equality.Semantic.DeepEqual(existing, desired):
		err = r.Client.Patch(ctx, desired, client.MergeFromWithOptions(existing, client.MergeFromWithOptimisticLock{}))
	}
	if err != nil {
		return "", fmt.Errorf("write namespace %q: %w", desired.Name, err)
	}
	return desired.Name, nil
}

// rememberNamespace writes a generated name into the spec, so that it never changes.
func (r *Reconciler) rememberNamespace(ctx context.Context, project *gardencorev1beta1.Project, namespace string) error {
	if project.Spec.Namespace != nil && *project.Spec.Namespace == namespace {
		return nil
	}
	before := project.DeepCopy()
	project.Spec.Namespace = &namespace
	if err := r.Client.Patch(ctx, project, client.MergeFrom(before)); err != nil {
		return fmt.Errorf("write name of the namespace to the project: %w", err)
	}
	return nil
}

// pruneExtensionRoles deletes the extension roles that no member has any more.
func (r *Reconciler) pruneExtensionRoles(ctx context.Context, project *gardencorev1beta1.Project, namespace string, wanted []client.Object) error {
	needed := map[string]bool{}
	for _, object := range wanted {
		needed[object.GetName()] = true
	}
	bindings, clusterRoles := &rbacv1.RoleBindingList{}, &rbacv1.ClusterRoleList{}
	err := errors.Join(
		r.Reader.List(ctx, bindings, client.InNamespace(namespace), ExtensionRoleSelector(project.Name)),
		r.Reader.List(ctx, clusterRoles, ExtensionRoleSelector(project.Name)))
	if err != nil {
		return fmt.Errorf("list extension roles: %w", err)
	}
	var obsolete []client.Object
	for i := range bindings.Items {
		obsolete = append(obsolete, &bindings.Items[i])
	}
	for i := range clusterRoles.Items {
		obsolete = append(obsolete, &clusterRoles.Items[i])
	}
	var errs []error
	for _, object := range obsolete {
		if !needed[object.GetName()] {
			errs = append(errs, client.IgnoreNotFound(r.Client.Delete(ctx, object)))
		}
	}
	return errors.Join(errs...)
}

// namespace returns nil if the namespace does not exist.
func (r *Reconciler) namespace(ctx context.Context, name string) (*corev1.Namespace, error) {
	namespace := &corev1.Namespace{}
	if err := r.Reader.Get(ctx, types.NamespacedName{Name: name}, namespace); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, nil
		}
		return nil, fmt.Errorf("read namespace %q: %w", name, err)
	}
	return namespace, nil
}

func (r *Reconciler) setPhase(ctx context.Context, project *gardencorev1beta1.Project, phase gardencorev1beta1.ProjectPhase) error {
	before := project.DeepCopy()
	project.Status.Phase = phase
	project.Status.ObservedGeneration = project.Generation
	return patch.Status(ctx, r.Client, project, before)
}

func (r *Reconciler) event(project *gardencorev1beta1.Project, kind, reason, message string) {
	r.Recorder.Eventf(project, nil, kind, reason, action, "%s", message)
}
