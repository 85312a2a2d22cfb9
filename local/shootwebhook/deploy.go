package shootwebhook

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
	"github.com/gardener-up/gardener-up/embedded/podsignature"
	"github.com/gardener-up/gardener-up/local/api"
)

// Deployer deploys the component in a seed, and puts back what somebody changes. It is a runnable of a manager.
type Deployer struct {
	// Client of the seed.
	Client client.Client
	// Reader reads from the seed without a cache.
	Reader client.Reader
	// Image is the appliance image.
	Image string
	// Machines are those of the seed's shoots.
	Machines api.MachineRuntime
	// Pods signs the pod; nil signs none.
	Pods *podsignature.Signer
}

// Intervals between writes, normally and after a failure.
const (
	interval = 10 * time.Minute
	retry    = 2 * time.Second
)

// NeedLeaderElection is true: one writer is enough.
func (d *Deployer) NeedLeaderElection() bool { return true }

// Start writes the objects until ctx ends.
func (d *Deployer) Start(ctx context.Context) error {
	for ctx.Err() == nil {
		wait := interval
		if err := d.deploy(ctx); err != nil {
			log.FromContext(ctx).V(1).Info("Webhooks for shoots are not deployed yet", "reason", err.Error())
			wait = retry
		}
		timer := time.NewTimer(wait)
		select {
		case <-ctx.Done():
			timer.Stop()
		case <-timer.C:
		}
	}
	return nil
}

func (d *Deployer) deploy(ctx context.Context) error {
	if err := d.awaited(ctx); err != nil {
		return err
	}
	for _, object := range Objects(d.Image, d.Machines) {
		if err := d.Pods.Object(object); err != nil {
			return fmt.Errorf("sign %T: %w", object, err)
		}
		if err := d.apply(ctx, object); err != nil {
			return fmt.Errorf("apply %T %s: %w", object, object.GetName(), err)
		}
	}
	return nil
}

// awaited is an error as long as the gardenlet has not made the PriorityClass of the pod: the seed refuses the pod without it, and
// its controllers log an error for each attempt. Who may not read the class applies at once.
func (d *Deployer) awaited(ctx context.Context) error {
	class := &metav1.PartialObjectMetadata{}
	class.SetGroupVersionKind(schedulingv1.SchemeGroupVersion.WithKind("PriorityClass"))
	err := d.Reader.Get(ctx, client.ObjectKey{Name: constants.PriorityClassNameSeedSystem900}, class)
	if apierrors.IsNotFound(err) {
		return fmt.Errorf("wait for the gardenlet: %w", err)
	}
	return nil
}

func (d *Deployer) apply(ctx context.Context, object client.Object) error {
	gvk, err := apiutil.GVKForObject(object, d.Client.Scheme())
	if err != nil {
		return err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return err
	}
	desired := &unstructured.Unstructured{Object: content}
	desired.SetGroupVersionKind(gvk)
	delete(desired.Object, "status")
	unstructured.RemoveNestedField(desired.Object, "metadata", "creationTimestamp") // nulls
	unstructured.RemoveNestedField(desired.Object, "spec", "template", "metadata", "creationTimestamp")
	unstructured.RemoveNestedField(desired.Object, "spec", "strategy")
	return d.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(desired), client.FieldOwner(provider), client.ForceOwnership)
}

// Remove removes the component from a cluster that is not a seed any more. It may be repeated.
func Remove(ctx context.Context, c client.Client) error {
	namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: Namespace}}
	if err := c.Delete(ctx, namespace); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("delete namespace %s: %w", Namespace, err)
	}
	return nil
}
