package networkpolicy

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// untilLabelled is the interval for checking the pods of a namespace without the policy that denies all traffic.
const untilLabelled = 10 * time.Second

// holdBack leaves out the policy that denies all traffic as long as the namespace of a shoot contains pods that an
// earlier version created without labels for policies. Otherwise they would be cut off until the next reconciliation of
// their Shoot. A namespace that already has the policy keeps it. again is when to check again, or zero.
func (r *Reconciler) holdBack(ctx context.Context, namespace *metav1.PartialObjectMetadata, wanted []*networkingv1.NetworkPolicy) (_ []*networkingv1.NetworkPolicy, again time.Duration, err error) {
	if namespace.Labels[constants.GardenRole] != constants.GardenRoleShoot || len(wanted) == 0 {
		return wanted, 0, nil
	}
	closed := &networkingv1.NetworkPolicy{}
	if err := r.SeedReader.Get(ctx, client.ObjectKey{Namespace: namespace.Name, Name: DenyAll}, closed); client.IgnoreNotFound(err) != nil {
		return nil, 0, fmt.Errorf("read network policy: %w", err)
	} else if err == nil {
		return wanted, 0, nil
	}
	pods := &metav1.PartialObjectMetadataList{}
	pods.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("PodList"))
	if err := r.SeedClient.List(ctx, pods, client.InNamespace(namespace.Name), client.MatchingLabels{constants.GardenRole: constants.GardenRoleControlPlane}); err != nil {
		return nil, 0, fmt.Errorf("list pods of the control plane: %w", err)
	}
	if !slices.ContainsFunc(pods.Items, func(pod metav1.PartialObjectMetadata) bool { return unaware(pod.Labels) }) {
		return wanted, 0, nil
	}
	return slices.DeleteFunc(wanted, func(policy *networkingv1.NetworkPolicy) bool { return policy.Name == DenyAll }), untilLabelled, nil
}

// unaware reports whether the labels belong to a pod that needs connections, but has no label that allows any. All
// components that connect to others have had such labels since policies were introduced.
func unaware(labels map[string]string) bool {
	switch labels[constants.LabelApp] {
	case constants.LabelKubernetes, "etcd-statefulset", "gardener-resource-manager":
		return !slices.ContainsFunc(slices.Collect(maps.Keys(labels)), func(label string) bool { return strings.HasPrefix(label, "networking.") })
	}
	return false
}
