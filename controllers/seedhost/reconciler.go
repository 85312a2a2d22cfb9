// Package seedhost decides which Seeds of other registrants this process serves: those that name a Secret with a
// kubeconfig and that no gardenlet of another process holds. It reads the kubeconfig and asks its Host to run a
// gardenlet with it. If that is not possible, it reports the reason in the Seed. The Host decides how to run a
// gardenlet.
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

// retry is the interval for checking a Seed that cannot be served or that another gardenlet holds.
const retry = 10 * time.Second

// Reasons in the condition Bootstrapped of a Seed that is not served.
const (
	ReasonKubeconfig = "KubeconfigInvalid"
	ReasonUnserved   = "SeedUnreachable"
)

// Host runs gardenlets. Its methods are called for different Seeds at the same time.
type Host interface {
	// Serve runs a gardenlet for the Seed. access is made from the kubeconfig. Serve does nothing if a gardenlet with
	// the same kubeconfig already runs, and ends one with another kubeconfig. It does not wait until the gardenlet is
	// ready. The error says why the gardenlet cannot be started, or why the previous one ended.
	Serve(ctx context.Context, seed *gardencorev1beta1.Seed, kubeconfig []byte, access *rest.Config) error
	// End stops the gardenlet of the Seed and waits until it has ended. It is no error if there is none.
	End(ctx context.Context, seed string) error
	// Gone is called when the Seed does not exist; it removes the data kept for the Seed.
	Gone(ctx context.Context, seed string) error
}

// Reconciler handles Seeds. All fields are required.
type Reconciler struct {
	Client client.Client
	Reader client.Reader // uncached: only a few Secrets and leases are needed
	Host   Host
	Clock  clock.PassiveClock
	// ID of this landscape. It is written to the status of the Seeds that the landscape serves.
	ID string
	// Own is the Seed that this process registers itself.
	Own string
	// Ended receives Seeds whose gardenlets have ended by themselves.
	Ended <-chan event.GenericEvent
}

// Reconcile decides on one Seed.
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
		log.FromContext(ctx).V(1).Info("Seed is held by a gardenlet of another process", "gardenlet", holder)
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

// access reads the Secret that a Seed refers to. Only errors in the content of the Secret are permanent; others may be
// temporary.
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

// report writes to the Seed why it is not served. The gardenlet overwrites the condition when it runs.
func (r *Reconciler) report(ctx context.Context, seed *gardencorev1beta1.Seed, reason string, err error) error {
	log.FromContext(ctx).Info("Seed cannot be served", "reason", reason, "message", err.Error())
	return seedstatus.SetCondition(ctx, r.Client, seed, gardencorev1beta1.SeedBootstrapped, conditions.False(reason, err.Error()), r.Clock.Now())
}
