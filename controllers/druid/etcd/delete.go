package etcd

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

// delete removes the etcd's objects and its volumes, which the deletion of a StatefulSet keeps. Mounted claims are
// removed when their pods are gone.
func (r *Reconciler) delete(ctx context.Context, etcd *druidv1alpha1.Etcd) error {
	if !controllerutil.ContainsFinalizer(etcd, finalizer) {
		return nil
	}
	// The StatefulSet is deleted before its claims are listed, so that it creates no new ones.
	set := &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: etcd.Namespace, Name: etcd.Name}}
	if err := r.remove(ctx, append([]client.Object{set}, dependents(etcd)...)...); err != nil {
		return err
	}
	claims := &corev1.PersistentVolumeClaimList{}
	if err := r.Reader.List(ctx, claims, client.InNamespace(etcd.Namespace), client.MatchingLabels(selectorLabels(etcd))); err != nil {
		return fmt.Errorf("list volume claims: %w", err)
	}
	for i := range claims.Items {
		if err := r.remove(ctx, &claims.Items[i]); err != nil {
			return err
		}
	}
	return client.IgnoreNotFound(patch.Metadata(ctx, r.Client, etcd, func() { controllerutil.RemoveFinalizer(etcd, finalizer) }))
}

func (r *Reconciler) remove(ctx context.Context, objects ...client.Object) error {
	for _, object := range objects {
		err := r.Client.Delete(ctx, object, client.PropagationPolicy(metav1.DeletePropagationBackground))
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %T %q: %w", object, object.GetName(), err)
		}
	}
	return nil
}
