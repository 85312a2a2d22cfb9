package seed

import (
	"context"
	"fmt"
	"slices"
	"time"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/utils/clock"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// leaseFresh is far longer than an admission controller takes to renew its lease.
const leaseFresh = time.Minute

// otherAutoscalers looks for vertical pod autoscalers of somebody else in a seed.
type otherAutoscalers struct {
	Client client.Client
	Clock  clock.PassiveClock
}

// find says what shows that somebody else runs a vertical pod autoscaler for the seed; empty if nothing does. The kinds show nothing:
// they may be there without an autoscaler, and this gardenlet may have installed them without one.
func (o otherAutoscalers) find(ctx context.Context) (string, error) {
	for _, look := range []func(context.Context) (string, error){o.deployments, o.accounts, o.webhooks, o.lease} {
		if found, err := look(ctx); found != "" || err != nil {
			return found, err
		}
	}
	return "", nil
}

// deployments looks in all namespaces. Those of the autoscalers of shoots do not count.
func (o otherAutoscalers) deployments(ctx context.Context) (string, error) {
	for _, name := range verticalpodautoscaler.Deployments() {
		list, err := metadataOf(ctx, o.Client, appsv1.SchemeGroupVersion.WithKind("DeploymentList"), client.MatchingFields{"metadata.name": name})
		if err != nil {
			return "", err
		}
		for i := range list {
			if object := &list[i]; !verticalpodautoscaler.IsOfSeed(object) && object.Labels[constants.GardenRole] != constants.GardenRoleControlPlane {
				return fmt.Sprintf("Deployment %s", client.ObjectKeyFromObject(object)), nil
			}
		}
	}
	return "", nil
}

func (o otherAutoscalers) accounts(ctx context.Context) (string, error) {
	list, err := metadataOf(ctx, o.Client, corev1.SchemeGroupVersion.WithKind("ServiceAccountList"), client.InNamespace(constants.GardenNamespace))
	if err != nil {
		return "", err
	}
	for i := range list {
		if object := &list[i]; slices.Contains(verticalpodautoscaler.Deployments(), object.Name) && !verticalpodautoscaler.IsOfSeed(object) {
			return fmt.Sprintf("ServiceAccount %s", client.ObjectKeyFromObject(object)), nil
		}
	}
	return "", nil
}

func (o otherAutoscalers) webhooks(ctx context.Context) (string, error) {
	list := &admissionregistrationv1.MutatingWebhookConfigurationList{}
	if err := o.Client.List(ctx, list); err != nil {
		return "", fmt.Errorf("look for webhooks of other autoscalers: %w", err)
	}
	for i := range list.Items {
		is := func(hook admissionregistrationv1.MutatingWebhook) bool {
			return hook.Name == verticalpodautoscaler.WebhookName
		}
		if object := &list.Items[i]; !verticalpodautoscaler.IsOfSeed(object) && slices.ContainsFunc(object.Webhooks, is) {
			return fmt.Sprintf("MutatingWebhookConfiguration %s", object.Name), nil
		}
	}
	return "", nil
}

// lease looks at the lease of admission controllers. One that nobody renews is left over.
func (o otherAutoscalers) lease(ctx context.Context) (string, error) {
	lease := &coordinationv1.Lease{}
	key := client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: verticalpodautoscaler.Admission}
	if err := o.Client.Get(ctx, key, lease); apierrors.IsNotFound(err) {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("look for the lease of another autoscaler: %w", err)
	}
	fresh := lease.Spec.RenewTime != nil && o.Clock.Since(lease.Spec.RenewTime.Time) < leaseFresh
	if holder := ptr.Deref(lease.Spec.HolderIdentity, ""); fresh && holder != verticalpodautoscaler.SeedHolder {
		return fmt.Sprintf("Lease %s of %q", key, holder), nil
	}
	return "", nil
}

func metadataOf(ctx context.Context, c client.Client, kind schema.GroupVersionKind, options ...client.ListOption) ([]metav1.PartialObjectMetadata, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind)
	if err := c.List(ctx, list, options...); err != nil {
		return nil, fmt.Errorf("list %s: %w", kind.Kind, err)
	}
	return list.Items, nil
}
