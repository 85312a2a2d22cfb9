// Package secrets creates a namespace in the garden for every Seed. It copies the Secrets that the gardenlet needs into
// it: those of namespace garden that have a role label. Copies follow their originals.
package secrets

import (
	"context"
	"errors"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	gardenNamespace = "garden"
	labelRole       = "gardener.cloud/role"
	roleSeed        = "seed"
	namespacePrefix = "seed-"
)

// Reconciler handles Seeds. All fields are required.
type Reconciler struct {
	Client client.Client
	Reader client.Reader // uncached: only here are Secrets read with their content
}

// Reconcile updates the copies for one Seed.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	seed := &gardencorev1beta1.Seed{}
	if err := r.Client.Get(ctx, request.NamespacedName, seed); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if err := r.ensureNamespace(ctx, seed); err != nil {
		return reconcile.Result{}, err
	}
	originals, err := r.list(ctx, gardenNamespace)
	if err != nil {
		return reconcile.Result{}, err
	}
	copies, err := r.list(ctx, NamespaceName(seed.Name))
	if err != nil {
		return reconcile.Result{}, err
	}
	return reconcile.Result{}, r.sync(ctx, NamespaceName(seed.Name), originals, copies)
}

// NamespaceName is the namespace of the Seed in the garden.
func NamespaceName(seed string) string { return namespacePrefix + seed }

func (r *Reconciler) ensureNamespace(ctx context.Context, seed *gardencorev1beta1.Seed) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name:            NamespaceName(seed.Name),
		Labels:          map[string]string{labelRole: roleSeed},
		OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(seed, gardencorev1beta1.SchemeGroupVersion.WithKind("Seed"))},
	}}
	_, err := patch.Applier{Client: r.Client, Owner: "gardener-controller-manager"}.Apply(ctx, namespace)
	return err
}

func (r *Reconciler) list(ctx context.Context, namespace string) (map[string]*corev1.Secret, error) {
	list := &corev1.SecretList{}
	if err := r.Reader.List(ctx, list, client.InNamespace(namespace), client.HasLabels{labelRole}); err != nil {
		return nil, fmt.Errorf("list secrets of namespace %q: %w", namespace, err)
	}
	secrets := make(map[string]*corev1.Secret, len(list.Items))
	for i := range list.Items {
		if list.Items[i].DeletionTimestamp == nil {
			secrets[list.Items[i].Name] = &list.Items[i]
		}
	}
	return secrets, nil
}

func (r *Reconciler) sync(ctx context.Context, namespace string, originals, copies map[string]*corev1.Secret) error {
	var errs []error
	for name, original := range originals {
		if err := r.copy(ctx, namespace, original, copies[name]); err != nil {
			errs = append(errs, fmt.Errorf("copy secret %q to namespace %q: %w", name, namespace, err))
		}
	}
	for name, old := range copies {
		if originals[name] == nil {
			errs = append(errs, client.IgnoreNotFound(r.Client.Delete(ctx, old)))
		}
	}
	return errors.Join(errs...)
}

func (r *Reconciler) copy(ctx context.Context, namespace string, original, existing *corev1.Secret) error {
	desired := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: original.Name,
			Labels: maps.Clone(original.Labels), Annotations: maps.Clone(original.Annotations),
		},
		Immutable: original.Immutable, Type: original.Type, Data: original.Data,
	}
	delete(desired.Annotations, corev1.LastAppliedConfigAnnotation)
	if existing == nil {
		err := r.Client.Create(ctx, desired)
		if apierrors.IsAlreadyExists(err) {
			return fmt.Errorf("a secret without role label is in the way: %w", err)
		}
		return err
	}
	if equal(existing, desired) {
		return nil
	}
	if existing.Type != desired.Type || (existing.Immutable != nil && *existing.Immutable) {
		if err := r.Client.Delete(ctx, existing); client.IgnoreNotFound(err) != nil {
			return err
		}
		return r.Client.Create(ctx, desired)
	}
	desired.ResourceVersion = existing.ResourceVersion
	return r.Client.Update(ctx, desired)
}

func equal(a, b *corev1.Secret) bool {
	return a.Type == b.Type && equality.Semantic.DeepEqual(a.Data, b.Data) && equality.Semantic.DeepEqual(a.Immutable, b.Immutable) &&
		equality.Semantic.DeepEqual(a.Labels, b.Labels) && equality.Semantic.DeepEqual(a.Annotations, b.Annotations)
}
