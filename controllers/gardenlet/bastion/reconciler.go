// Package bastion creates the bastions through which users reach the nodes of their shoots. For every Bastion of the
// garden whose shoot is on the seed it creates one of extensions.gardener.cloud in the namespace of the shoot. It
// copies the address and the health back. It does not decide when a Bastion ends.
package bastion

import (
	"context"
	"errors"
	"fmt"
	"time"

	networkingv1 "k8s.io/api/networking/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/extensionmirror"
	"github.com/gardener-up/gardener-up/controllers/internal/conditions"
	"github.com/gardener-up/gardener-up/controllers/internal/patch"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	operationsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
)

// Reasons of the condition BastionReady.
const (
	reasonReady    = "SuccessfullyReconciled"
	reasonFailed   = "FailedReconciling"
	reasonDeleting = "DeletionInProgress"
)

// annotationNamespace on the object in the seed is the namespace of the one in the garden.
const annotationNamespace = "gardenlet.gardener.cloud/garden-namespace"

// shootRetry is the interval for checking a shoot that has no namespace in the seed yet.
const shootRetry = 5 * time.Second

// Reconciler handles the Bastions of one seed. All fields are required.
type Reconciler struct {
	Garden    client.Client
	Mirror    extensionmirror.Mirror
	SeedCache cache.Cache // changes in it wake the controller
	Clock     clock.PassiveClock
	SeedName  string
}

// Reconcile handles one Bastion. It does not wait for the extension: changes in the seed wake it.
func (r *Reconciler) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	bastion := &operationsv1alpha1.Bastion{}
	if err := r.Garden.Get(ctx, request.NamespacedName, bastion); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	bastion = bastion.DeepCopy()
	namespace, err := r.namespace(ctx, bastion)
	if err != nil {
		return reconcile.Result{}, err
	}
	if bastion.DeletionTimestamp != nil {
		return reconcile.Result{}, r.delete(ctx, bastion, namespace)
	}
	if namespace == "" {
		return reconcile.Result{RequeueAfter: shootRetry}, nil
	}
	if err := patch.Metadata(ctx, r.Garden, bastion, func() { controllerutil.AddFinalizer(bastion, constants.GardenerName) }); err != nil {
		return reconcile.Result{}, err
	}
	before := bastion.DeepCopy()
	finding, err := r.reconcile(ctx, bastion, namespace)
	if err != nil {
		finding = conditions.False(reasonFailed, err.Error())
	}
	r.report(bastion, finding)
	return reconcile.Result{}, errors.Join(err, patch.Status(ctx, r.Garden, bastion, before))
}

// namespace returns the namespace of the shoot in the seed; it is empty if the shoot has none.
func (r *Reconciler) namespace(ctx context.Context, bastion *operationsv1alpha1.Bastion) (string, error) {
	shoot := &gardencorev1beta1.Shoot{}
	err := r.Garden.Get(ctx, client.ObjectKey{Namespace: bastion.Namespace, Name: bastion.Spec.ShootRef.Name}, shoot)
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("read shoot of the bastion: %w", err)
	}
	return shoot.Status.TechnicalID, nil
}

func (r *Reconciler) reconcile(ctx context.Context, bastion *operationsv1alpha1.Bastion, namespace string) (conditions.Finding, error) {
	current, err := r.Mirror.Request(ctx, Extension(bastion, namespace), bastion.Generation, "")
	if err != nil {
		return conditions.Finding{}, err
	}
	inSeed := current.(*extensionsv1alpha1.Bastion)
	operation, lastError := r.Mirror.Report(inSeed, gardencorev1beta1.LastOperationTypeReconcile, nil)
	switch {
	case lastError != nil:
		return conditions.False(reasonFailed, lastError.Description), nil
	case operation.State == gardencorev1beta1.LastOperationStateSucceeded:
		bastion.Status.Ingress = inSeed.Status.Ingress
		return conditions.True(reasonReady, "The bastion has been reconciled successfully."), nil
	default:
		return conditions.Finding{Status: gardencorev1beta1.ConditionProgressing, Reason: "Reconciling", Message: operation.Description}, nil
	}
}

// Extension returns the object in the seed.
func Extension(bastion *operationsv1alpha1.Bastion, namespace string) *extensionsv1alpha1.Bastion {
	var ingress []extensionsv1alpha1.BastionIngressPolicy
	for _, policy := range bastion.Spec.Ingress {
		ingress = append(ingress, extensionsv1alpha1.BastionIngressPolicy{IPBlock: networkingv1.IPBlock{CIDR: policy.IPBlock.CIDR, Except: policy.IPBlock.Except}})
	}
	extension := &extensionsv1alpha1.Bastion{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: bastion.Name, Annotations: map[string]string{annotationNamespace: bastion.Namespace},
		},
		Spec: extensionsv1alpha1.BastionSpec{UserData: userData(bastion.Spec.SSHPublicKey), Ingress: ingress},
	}
	if bastion.Spec.ProviderType != nil {
		extension.Spec.Type = *bastion.Spec.ProviderType
	}
	return extension
}

func (r *Reconciler) report(bastion *operationsv1alpha1.Bastion, finding conditions.Finding) {
	status := &bastion.Status
	status.ObservedGeneration = &bastion.Generation
	status.Conditions = conditions.Set(status.Conditions, operationsv1alpha1.BastionReady, finding, r.Clock.Now())
}

// delete waits for the extension, unless the owner has given up the object or the shoot has no namespace in the seed
// any more.
func (r *Reconciler) delete(ctx context.Context, bastion *operationsv1alpha1.Bastion, namespace string) error {
	if !controllerutil.ContainsFinalizer(bastion, constants.GardenerName) {
		return nil
	}
	gone := namespace == ""
	if !gone {
		var err error
		gone, err = r.Mirror.Delete(ctx, Extension(bastion, namespace))
		if err != nil && !apierrors.IsNotFound(err) {
			return err
		}
		gone = gone || bastion.Annotations[constants.ConfirmationForceDeletion] == "true"
	}
	if !gone {
		before := bastion.DeepCopy()
		r.report(bastion, conditions.False(reasonDeleting, "The bastion is being deleted."))
		return patch.Status(ctx, r.Garden, bastion, before)
	}
	return client.IgnoreNotFound(patch.Metadata(ctx, r.Garden, bastion, func() {
		controllerutil.RemoveFinalizer(bastion, constants.GardenerName)
	}))
}
