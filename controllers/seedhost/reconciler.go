// Package seedhost decides which Seeds this process serves although it has not registered them: those that name a Secret with
// a kubeconfig and that no gardenlet of another process holds. It reads the kubeconfig, asks its Host to run a gardenlet
// with it, and tells in the Seed why that is not possible. How a gardenlet is run is the Host's business.
package seedhost

import (
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/seedstatus"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

// retry is how soon a Seed that cannot be served, or is held by somebody else, is looked at again.
const retry = 10 * time.Second

// Reasons in the condition Bootstrapped of a Seed that is not served.
const (
	ReasonKubeconfig = "KubeconfigInvalid"
	ReasonUnserved   = "SeedUnreachable"
)

// Host runs gardenlets. Its methods are called for different Seeds at the same time.
type Host interface {
	// Serve makes a gardenlet run for the Seed by the access, which is made of the kubeconfig. It does nothing if one
	// runs with the same kubeconfig already, and ends one that runs with another. It does not wait until the gardenlet is
	// ready; the error says why it cannot be started, or why the last one ended.
	Serve(ctx context.Context, seed *gardencorev1beta1.Seed, kubeconfig []byte, access *rest.Config) error
	// End ends the gardenlet of the Seed, and waits for that. It is no error if there is none.
	End(ctx context.Context, seed string) error
	// Gone is called when the Seed does not exist; it removes what was kept for it.
	Gone(ctx context.Context, seed string) error
}

// Reconciler handles Seeds. All fields are required.
type Reconciler struct {
	Client client.Client
	Reader client.Reader // uncached: of Secrets and leases only few are needed
	Host   Host
	Clock  clock.PassiveClock
	// ID of this landscape, as it stands in the status of Seeds that it serves.
	ID string
	// Own is the Seed that this process registers itself.
	Own string
	// Ended brings Seeds whose gardenlets have ended by themselves.
	Ended <-chan event.GenericEvent
}

// Reconcile looks at one Seed.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	if request.Name == r.Own {
		return reconcile.Result{}, nil
	}
	seed := &gardencorev1beta1.Seed{}
	err := r.Client.Get(ctx, request.NamespacedName, seed)
	if apierrors.IsNotFound(err) {
		return reconcile.Result{}, errors.Join(r.Host.End(ctx, request.Name), r.Host.Gone(ctx, request.Name))
	}
	if err != nil {
		return reconcile.Result{}, fmt.Errorf("read seed %q: %w", request.Name, err)
	}
	if seed.Spec.SecretRef == nil {
		return reconcile.Result{}, r.Host.End(ctx, seed.Name)
	}
	holder, err := r.otherHolder(ctx, seed)
	if err != nil {
		return reconcile.Result{}, err
	}
	if holder != "" {
		log.FromContext(ctx).V(1).Info("Seed is held by a gardenlet of somebody else", "gardenlet", holder)
		return reconcile.Result{RequeueAfter: retry}, r.Host.End(ctx, seed.Name)
	}
	kubeconfig, access, err := r.access(ctx, seed)
	if err != nil {
		return reconcile.Result{RequeueAfter: retry}, errors.Join(r.Host.End(ctx, seed.Name), r.report(ctx, seed, ReasonKubeconfig, err))
	}
	if err := r.Host.Serve(ctx, seed, kubeconfig, access); err != nil {
		return reconcile.Result{RequeueAfter: retry}, r.report(ctx, seed, ReasonUnserved, err)
	}
	return reconcile.Result{}, nil
}

// access reads the Secret that a Seed refers to. Errors other than those of the Secret's content may pass.
func (r *Reconciler) access(ctx context.Context, seed *gardencorev1beta1.Seed) ([]byte, *rest.Config, error) {
	key := types.NamespacedName{Namespace: seed.Spec.SecretRef.Namespace, Name: seed.Spec.SecretRef.Name}
	secret := &corev1.Secret{}
	if err := r.Reader.Get(ctx, key, secret); err != nil {
		return nil, nil, fmt.Errorf("read secret %s: %w", key, err)
	}
	kubeconfig := secret.Data[kubeconfigKey]
	access, err := parse(kubeconfig)
	if err != nil {
		return nil, nil, fmt.Errorf("secret %s: %w", key, err)
	}
	return kubeconfig, access, nil
}

// report tells in the Seed why it is not served. The gardenlet takes that back when it has done its work.
func (r *Reconciler) report(ctx context.Context, seed *gardencorev1beta1.Seed, reason string, err error) error {
	log.FromContext(ctx).Info("Seed cannot be served", "reason", reason, "message", err.Error())
	return seedstatus.SetCondition(ctx, r.Client, seed, gardencorev1beta1.SeedBootstrapped, conditions.False(reason, err.Error()), r.Clock.Now())
}
