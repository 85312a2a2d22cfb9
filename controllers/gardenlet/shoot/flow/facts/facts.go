// Package facts looks at what the seed already has of a shoot.
package facts

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubecontrollermanager"
	component "github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
)

// Facts are what the seed already has of a shoot. They decide which steps are skipped.
type Facts struct {
	// NamespaceActive tells that the namespace exists and is not being deleted.
	NamespaceActive bool
	// APIServerExists and APIServerRuns tell about the Deployment and whether it is meant to have pods.
	APIServerExists, APIServerRuns bool
	// ControllersExist tells about the Deployment of kube-controller-manager.
	ControllersExist bool
	// InfrastructureExists and InfrastructureUsable tell about the object and whether it has a provider status.
	InfrastructureExists, InfrastructureUsable bool
	// ControlPlaneExists tells about the object of kind ControlPlane.
	ControlPlaneExists bool
}

// CleanupPossible tells whether the control plane can be brought up to empty the cluster.
func (f Facts) CleanupPossible(workerless bool) bool {
	return f.NamespaceActive && f.APIServerExists && (workerless || f.InfrastructureExists)
}

// ControlPlaneUsable tells whether the provider's part of the control plane takes part in emptying the cluster.
func (f Facts) ControlPlaneUsable() bool {
	return (f.ControlPlaneExists || f.APIServerExists) && f.InfrastructureUsable
}

// ControlPlaneRuns tells whether the control plane runs in this flow: also while the shoot goes to sleep, but not once it
// sleeps.
func (f Facts) ControlPlaneRuns(op *operation.Operation) bool {
	return !op.Hibernated() || f.APIServerRuns || op.Shoot.DeletionTimestamp != nil
}

// Load looks at the seed.
func Load(ctx context.Context, seed client.Reader, namespace, shoot string) (Facts, error) {
	var f Facts
	object := &corev1.Namespace{}
	found, err := exists(ctx, seed, client.ObjectKey{Name: namespace}, object)
	if err != nil || !found {
		return f, err
	}
	f.NamespaceActive = object.DeletionTimestamp == nil
	apiServer := &appsv1.Deployment{}
	if f.APIServerExists, err = exists(ctx, seed, client.ObjectKey{Namespace: namespace, Name: component.APIServer}, apiServer); err != nil {
		return f, err
	}
	f.APIServerRuns = f.APIServerExists && ptr.Deref(apiServer.Spec.Replicas, 1) > 0
	controllers := &appsv1.Deployment{}
	if f.ControllersExist, err = exists(ctx, seed, client.ObjectKey{Namespace: namespace, Name: kubecontrollermanager.Name}, controllers); err != nil {
		return f, err
	}
	infrastructure := &extensionsv1alpha1.Infrastructure{}
	if f.InfrastructureExists, err = exists(ctx, seed, client.ObjectKey{Namespace: namespace, Name: shoot}, infrastructure); err != nil {
		return f, err
	}
	f.InfrastructureUsable = infrastructure.Status.ProviderStatus != nil
	f.ControlPlaneExists, err = exists(ctx, seed, client.ObjectKey{Namespace: namespace, Name: shoot}, &extensionsv1alpha1.ControlPlane{})
	return f, err
}

func exists(ctx context.Context, seed client.Reader, key client.ObjectKey, object client.Object) (bool, error) {
	err := seed.Get(ctx, key, object)
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("read %T %q: %w", object, key, err)
	}
	return err == nil, nil
}
