package seed

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// system is what every seed has: namespaces, priority classes and an identity.
type system struct{ cluster }

func (s system) deployNamespaces(ctx context.Context) error {
	return s.applier().ApplyAll(ctx,
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: constants.GardenNamespace, Labels: map[string]string{
			constants.GardenRole:                 constants.GardenNamespace,
			"pod-security.kubernetes.io/enforce": "privileged",
		}}},
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: metav1.NamespaceSystem, Labels: map[string]string{
			constants.GardenRole: constants.PurposeKubeSystem,
		}}})
}

// priorityClasses are the classes for components of a seed and of its control planes.
func priorityClasses() []client.Object {
	var classes []client.Object
	for _, name := range []string{
		constants.PriorityClassNameSeedSystemCritical, constants.PriorityClassNameSeedSystem900, constants.PriorityClassNameSeedSystem800,
		constants.PriorityClassNameSeedSystem700, constants.PriorityClassNameSeedSystem600,
		constants.PriorityClassNameShootControlPlane500, constants.PriorityClassNameShootControlPlane400, constants.PriorityClassNameShootControlPlane300,
		constants.PriorityClassNameShootControlPlane200, constants.PriorityClassNameShootControlPlane100,
		constants.PriorityClassNameReserveExcessCapacity,
	} {
		classes = append(classes, &schedulingv1.PriorityClass{
			ObjectMeta: metav1.ObjectMeta{Name: name}, Value: constants.PriorityClassValues[name],
			Description: "PriorityClass for components of Gardener",
		})
	}
	return classes
}

// deployPriorityClasses creates missing classes; existing ones are immutable.
func (s system) deployPriorityClasses(ctx context.Context) error {
	existing := &metav1.PartialObjectMetadataList{}
	existing.SetGroupVersionKind(schedulingv1.SchemeGroupVersion.WithKind("PriorityClassList"))
	if err := s.client.List(ctx, existing); err != nil {
		return fmt.Errorf("list priority classes: %w", err)
	}
	known := map[string]bool{}
	for i := range existing.Items {
		known[existing.Items[i].Name] = true
	}
	for _, class := range priorityClasses() {
		if known[class.GetName()] {
			continue
		}
		if _, err := s.applier().Apply(ctx, class); err != nil {
			return err
		}
	}
	return nil
}

// destroyPriorityClasses keeps the class of the resource manager if it belongs to the operator of a Garden.
func (s system) destroyPriorityClasses(ctx context.Context, garden string) error {
	for _, class := range priorityClasses() {
		if garden != "" && class.GetName() == constants.PriorityClassNameSeedSystemCritical {
			continue
		}
		if err := s.client.Delete(ctx, class); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete priority class %q: %w", class.GetName(), err)
		}
	}
	return nil
}

// deployClusterIdentity keeps an existing identity. Otherwise the identity is the UID of namespace kube-system.
func (s system) deployClusterIdentity(ctx context.Context) (string, error) {
	identity := clusterIdentity()
	err := s.client.Get(ctx, client.ObjectKeyFromObject(identity), identity)
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("read cluster identity: %w", err)
	}
	if id := identity.Data[constants.ClusterIdentity]; err == nil && id != "" {
		return id, nil
	}
	system := &corev1.Namespace{}
	if err := s.client.Get(ctx, client.ObjectKey{Name: metav1.NamespaceSystem}, system); err != nil {
		return "", fmt.Errorf("read namespace %q: %w", metav1.NamespaceSystem, err)
	}
	identity = clusterIdentity()
	identity.Immutable = ptr.To(true)
	identity.Data = map[string]string{
		constants.ClusterIdentity: string(system.UID), constants.ClusterIdentityOrigin: constants.ClusterIdentityOriginSeed,
	}
	_, err = s.applier().Apply(ctx, identity)
	return string(system.UID), err
}

// destroyClusterIdentity removes an identity only if a gardenlet has written it.
func (s system) destroyClusterIdentity(ctx context.Context) error {
	identity := clusterIdentity()
	if err := s.client.Get(ctx, client.ObjectKeyFromObject(identity), identity); err != nil {
		return client.IgnoreNotFound(err)
	}
	if identity.Data[constants.ClusterIdentityOrigin] != constants.ClusterIdentityOriginSeed {
		return nil
	}
	return client.IgnoreNotFound(s.client.Delete(ctx, identity))
}

func clusterIdentity() *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: constants.ClusterIdentity}}
}
