// Package seedlogin keeps a kubeconfig of each seed in the garden: Secret <seed>.login of namespace garden. Clients such as gardenctl
// read it to reach control planes. It holds a certificate of hours for a member of the group of operators, and is renewed before
// the certificate ends.
package seedlogin

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

const (
	// Namespace of the Secrets.
	Namespace = "garden"
	// DataKey of the kubeconfig in a Secret.
	DataKey = "kubeconfig"

	// validity is a day of work. renewal is how much of it is left at least, as long as the landscape runs.
	validity, renewal = 8 * time.Hour, 4 * time.Hour
	// period is the time between two looks: timers stand still while a machine sleeps.
	period = 10 * time.Minute
)

// A Secret without this label is not of this package, and stays as it is. It must not have the label gardener.cloud/role: Secrets with
// that label are copied for the gardenlets of all seeds.
const labelManager, thisProgram = "app.kubernetes.io/managed-by", "gardener-appliance"

// Name of the Secret of a seed.
func Name(seed string) string { return seed + ".login" }

// Reconciler keeps the Secret of one seed. All fields are required.
type Reconciler struct {
	Garden client.Client
	Reader client.Reader // uncached: only here are Secrets read with their content
	Seed   string
	// Cluster is the configuration of an administrator of the seed.
	Cluster func() (*rest.Config, error)
	// Request gets a certificate from the seed, see operators.Request.
	Request func(context.Context, *rest.Config, time.Duration) (daemon.Credential, error)
	Clock   clock.Clock
}

// Reconcile renews the Secret if it does not fit the seed any more or ends soon. The garden removes it together with the Seed.
func (r *Reconciler) Reconcile(ctx context.Context, _ reconcile.Request) (reconcile.Result, error) {
	seed := &gardencorev1beta1.Seed{}
	if err := r.Garden.Get(ctx, client.ObjectKey{Name: r.Seed}, seed); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if seed.DeletionTimestamp != nil {
		return reconcile.Result{}, nil
	}
	config, err := r.Cluster()
	if err != nil {
		return reconcile.Result{}, err
	}
	way, err := wayOf(config)
	if err != nil {
		return reconcile.Result{}, err
	}
	secret := &corev1.Secret{}
	err = r.Reader.Get(ctx, client.ObjectKey{Namespace: Namespace, Name: Name(r.Seed)}, secret)
	switch {
	case err == nil && secret.Labels[labelManager] != thisProgram:
		return reconcile.Result{}, nil
	case client.IgnoreNotFound(err) != nil:
		return reconcile.Result{}, fmt.Errorf("read login of seed %q: %w", r.Seed, err)
	case err == nil && secret.DeletionTimestamp == nil && way.remaining(secret.Data[DataKey], r.Clock.Now()) > renewal:
		return reconcile.Result{RequeueAfter: period}, nil
	}
	return reconcile.Result{RequeueAfter: period}, r.renew(ctx, seed, secret, config, way)
}

// renew writes the Secret, which is empty if it does not exist.
func (r *Reconciler) renew(ctx context.Context, seed *gardencorev1beta1.Seed, secret *corev1.Secret, config *rest.Config, way way) error {
	credential, err := r.Request(ctx, config, validity)
	if err != nil {
		return fmt.Errorf("renew login of seed %q: %w", r.Seed, err)
	}
	text, err := way.kubeconfig(r.Seed, credential)
	if err != nil {
		return err
	}
	exists := secret.ResourceVersion != ""
	secret.Namespace, secret.Name = Namespace, Name(r.Seed)
	secret.Labels = map[string]string{labelManager: thisProgram}
	secret.OwnerReferences = []metav1.OwnerReference{{
		APIVersion: gardencorev1beta1.SchemeGroupVersion.String(), Kind: "Seed", Name: seed.Name, UID: seed.UID,
	}}
	secret.Data = map[string][]byte{DataKey: text}
	if !exists {
		err = r.Garden.Create(ctx, secret)
	} else {
		err = r.Garden.Update(ctx, secret)
	}
	if apierrors.IsAlreadyExists(err) || apierrors.IsConflict(err) {
		err = nil // somebody wrote it meanwhile, and that wakes this controller
	}
	if err != nil {
		return fmt.Errorf("write login of seed %q: %w", r.Seed, err)
	}
	return nil
}
