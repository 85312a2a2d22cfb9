package flow

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/kubecontrollermanager"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/names"
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

// LoadFacts looks at the seed.
func LoadFacts(ctx context.Context, seed client.Reader, namespace, shoot string) (Facts, error) {
	var f Facts
	object := &corev1.Namespace{}
	found, err := exists(ctx, seed, client.ObjectKey{Name: namespace}, object)
	if err != nil || !found {
		return f, err
	}
	f.NamespaceActive = object.DeletionTimestamp == nil
	apiServer := newDeployment(names.APIServer, namespace)
	if f.APIServerExists, err = exists(ctx, seed, client.ObjectKeyFromObject(apiServer), apiServer); err != nil {
		return f, err
	}
	f.APIServerRuns = f.APIServerExists && ptr.Deref(apiServer.Spec.Replicas, 1) > 0
	controllers := newDeployment(kubecontrollermanager.Name, namespace)
	if f.ControllersExist, err = exists(ctx, seed, client.ObjectKeyFromObject(controllers), controllers); err != nil {
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
