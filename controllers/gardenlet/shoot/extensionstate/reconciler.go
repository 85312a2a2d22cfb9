package extensionstate

import (
	"context"
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/extension"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Reconciler keeps the states of extensions in the ShootStates of a seed's shoots current. All fields are required.
type Reconciler struct {
	// Garden writes ShootStates; GardenReader reads them and the Shoots without a cache.
	Garden       client.Client
	GardenReader client.Reader
	// Objects reads the objects of the seed without a cache.
	Objects   extension.Objects
	SeedCache cache.Cache // changes in it wake the controller
	SeedName  string
}

// Reconcile saves the states of one shoot; the request names its namespace in the seed. It leaves a shoot alone that moves: then only
// the migration saves states, and objects that are gone must not take theirs along.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	key, err := r.shootOf(ctx, request.Name)
	if err != nil || key.Name == "" {
		return reconcile.Result{}, err
	}
	shoot, state := &gardencorev1beta1.Shoot{}, &gardencorev1beta1.ShootState{}
	if err := r.GardenReader.Get(ctx, key, state); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err) // the flow makes it and saves the first states
	}
	states, err := Collect(ctx, r.Objects, request.Name)
	if err != nil {
		return reconcile.Result{}, err
	}
	// The Shoot is read after its objects: if it does not move now, nobody had released them.
	if err := r.GardenReader.Get(ctx, key, shoot); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if !r.settled(shoot) {
		return reconcile.Result{}, nil
	}
	err = Save(ctx, r.Garden, state, states)
	if apierrors.IsConflict(err) {
		return reconcile.Result{Requeue: true}, nil
	}
	return reconcile.Result{}, client.IgnoreNotFound(err)
}

// settled reports whether the shoot is on this seed and neither moves nor goes.
func (r *Reconciler) settled(shoot *gardencorev1beta1.Shoot) bool {
	held := shoot.Status.SeedName
	return shoot.DeletionTimestamp == nil && held != nil && *held == r.SeedName && !helper.Migrates(shoot)
}

// shootOf returns the Shoot of a namespace in the seed; empty if there is none.
func (r *Reconciler) shootOf(ctx context.Context, namespace string) (types.NamespacedName, error) {
	cluster := &extensionsv1alpha1.Cluster{}
	if err := r.Objects.Client.Get(ctx, client.ObjectKey{Name: namespace}, cluster); err != nil {
		return types.NamespacedName{}, client.IgnoreNotFound(err)
	}
	var shoot struct {
		Metadata struct{ Namespace, Name string }
	}
	if err := json.Unmarshal(cluster.Spec.Shoot.Raw, &shoot); err != nil {
		return types.NamespacedName{}, fmt.Errorf("decode shoot of cluster %q: %w", namespace, err)
	}
	return types.NamespacedName{Namespace: shoot.Metadata.Namespace, Name: shoot.Metadata.Name}, nil
}
