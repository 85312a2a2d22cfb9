package worker

import (
	"context"
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/reconcile/workers"
)

// Credentials gives changed credentials of the infrastructure to the machine classes of a Shoot at once, without waiting for the
// next operation of its Worker.
type Credentials struct {
	// Client of the seed.
	Client client.Client
	// Name of the controller.
	Name string
}

// AddToManager adds the controller to the manager of the seed.
func (c *Credentials) AddToManager(mgr manager.Manager, options workers.Options) error {
	with := func(purpose string) builder.Predicates {
		return builder.WithPredicates(predicate.NewPredicateFuncs(func(object client.Object) bool {
			return object.GetLabels()[constants.GardenerPurpose] == purpose
		}))
	}
	// Classes and their Secrets come later than the credentials, and the Worker's controller may write what it has read before a change.
	err := builder.ControllerManagedBy(mgr).Named(c.Name).For(&corev1.Secret{}, with(constants.SecretPurposeCloudProvider)).
		Watches(&v1alpha1.MachineClass{}, handler.EnqueueRequestsFromMapFunc(usedBy)).
		Watches(&corev1.Secret{}, handler.EnqueueRequestsFromMapFunc(c.usedForSecret), with(constants.SecretPurposeMachineClass)).
		WithOptions(options.Controller()).Complete(c)
	if err != nil {
		return fmt.Errorf("add controller %s: %w", c.Name, err)
	}
	return nil
}

// usedBy returns the credentials that a class uses.
func usedBy(_ context.Context, object client.Object) []reconcile.Request {
	class, ok := object.(*v1alpha1.MachineClass)
	if !ok || class.CredentialsSecretRef == nil {
		return nil
	}
	return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: class.CredentialsSecretRef.Namespace, Name: class.CredentialsSecretRef.Name}}}
}

// usedForSecret returns the credentials that the class of a Secret uses. Both have the same name.
func (c *Credentials) usedForSecret(ctx context.Context, secret client.Object) []reconcile.Request {
	class := &v1alpha1.MachineClass{}
	if err := c.Client.Get(ctx, client.ObjectKeyFromObject(secret), class); err != nil {
		return nil // the event of the class follows
	}
	return usedBy(ctx, class)
}

// Reconcile writes the Secrets of the classes that use the credentials.
func (c *Credentials) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	credentials := &corev1.Secret{}
	if err := c.Client.Get(ctx, request.NamespacedName, credentials); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	classes := &v1alpha1.MachineClassList{}
	if err := c.Client.List(ctx, classes, client.InNamespace(request.Namespace)); err != nil {
		return reconcile.Result{}, fmt.Errorf("list machine classes: %w", err)
	}
	var errs []error
	for i := range classes.Items {
		if refersTo(classes.Items[i].CredentialsSecretRef, credentials) {
			errs = append(errs, c.refresh(ctx, classes.Items[i].SecretRef, credentials.Data))
		}
	}
	return reconcile.Result{}, errors.Join(errs...)
}

// refresh keeps the user data. A Secret that does not exist yet is written by the Worker's controller.
func (c *Credentials) refresh(ctx context.Context, ref *corev1.SecretReference, credentials map[string][]byte) error {
	if ref == nil {
		return nil
	}
	secret := &corev1.Secret{}
	if err := c.Client.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, secret); err != nil {
		return client.IgnoreNotFound(err)
	}
	before := secret.DeepCopy()
	fillSecret(secret, credentials, secret.Data[userDataKey])
	if equality.Semantic.DeepEqual(before, secret) {
		return nil
	}
	if err := c.Client.Update(ctx, secret); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write secret of machine class %s: %w", ref.Name, err)
	}
	return nil
}

func refersTo(ref *corev1.SecretReference, secret *corev1.Secret) bool {
	return ref != nil && ref.Namespace == secret.Namespace && ref.Name == secret.Name
}

// credentialsOf reads the credentials of the infrastructure. There are none if the Secret does not exist.
func credentialsOf(ctx context.Context, c client.Client, ref corev1.SecretReference) (map[string][]byte, error) {
	secret := &corev1.Secret{}
	err := c.Get(ctx, client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}, secret)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read credentials of the infrastructure: %w", err)
	}
	return secret.Data, nil
}
