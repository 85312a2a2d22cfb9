package podautoscaler

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
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/verticalpodautoscaler"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// leaseFresh is far longer than an admission controller takes to renew its lease.
const leaseFresh = time.Minute

// Other says what shows that somebody else runs a vertical pod autoscaler in the cluster; empty if nothing does. The kinds show nothing:
// they may be there without an autoscaler, and a gardenlet may have installed them without one.
func (a Autoscaler) Other(ctx context.Context) (string, error) {
	for _, look := range []func(context.Context) (string, error){a.otherDeployments, a.otherAccounts, a.otherWebhooks, a.otherLease} {
		if found, err := look(ctx); found != "" || err != nil {
			return found, err
		}
	}
	return "", nil
}

// otherDeployments looks in all namespaces. Those of the autoscalers of shoots do not count.
func (a Autoscaler) otherDeployments(ctx context.Context) (string, error) {
	for _, name := range verticalpodautoscaler.Deployments() {
		list, err := metadataOf(ctx, a.Client, appsv1.SchemeGroupVersion.WithKind("DeploymentList"), client.MatchingFields{"metadata.name": name})
		if err != nil {
			return "", err
		}
		for i := range list {
			if object := &list[i]; !a.Owner.Owns(object) && object.Labels[constants.GardenRole] != constants.GardenRoleControlPlane {
				return fmt.Sprintf("Deployment %s", client.ObjectKeyFromObject(object)), nil
			}
		}
	}
	return "", nil
}

func (a Autoscaler) otherAccounts(ctx context.Context) (string, error) {
	list, err := metadataOf(ctx, a.Client, corev1.SchemeGroupVersion.WithKind("ServiceAccountList"), client.InNamespace(constants.GardenNamespace))
	if err != nil {
		return "", err
	}
	for i := range list {
		if object := &list[i]; slices.Contains(verticalpodautoscaler.Deployments(), object.Name) && !a.Owner.Owns(object) {
			return fmt.Sprintf("ServiceAccount %s", client.ObjectKeyFromObject(object)), nil
		}
	}
	return "", nil
}

func (a Autoscaler) otherWebhooks(ctx context.Context) (string, error) {
	list := &admissionregistrationv1.MutatingWebhookConfigurationList{}
	if err := a.Client.List(ctx, list); err != nil {
		return "", fmt.Errorf("look for webhooks of other autoscalers: %w", err)
	}
	for i := range list.Items {
		is := func(hook admissionregistrationv1.MutatingWebhook) bool {
			return hook.Name == verticalpodautoscaler.WebhookName
		}
		if object := &list.Items[i]; !a.Owner.Owns(object) && slices.ContainsFunc(object.Webhooks, is) {
			return fmt.Sprintf("MutatingWebhookConfiguration %s", object.Name), nil
		}
	}
	return "", nil
}

// otherLease looks at the lease of admission controllers. One that nobody renews is left over.
func (a Autoscaler) otherLease(ctx context.Context) (string, error) {
	lease := &coordinationv1.Lease{}
	key := client.ObjectKey{Namespace: metav1.NamespaceSystem, Name: verticalpodautoscaler.Admission}
	if err := a.Client.Get(ctx, key, lease); apierrors.IsNotFound(err) {
		return "", nil
	} else if err != nil {
		return "", fmt.Errorf("look for the lease of another autoscaler: %w", err)
	}
	fresh := lease.Spec.RenewTime != nil && a.Clock.Since(lease.Spec.RenewTime.Time) < leaseFresh
	if holder := ptr.Deref(lease.Spec.HolderIdentity, ""); fresh && holder != string(a.Owner) {
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
