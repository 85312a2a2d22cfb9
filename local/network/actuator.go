// Package network connects the pods of Shoots, for the network types local, calico and cilium. Pods of embedded nodes have addresses
// on the host's loopback network and reach each other without a pod network. Pods of machines that are containers get the network
// that every node image contains for its own cluster. In neither case is Calico or Cilium installed; the status says so.
package network

import (
	"context"
	"fmt"
	"maps"

	"sigs.k8s.io/controller-runtime/pkg/client"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/network/connectivity"
	"github.com/gardener-up/gardener-up/providers/contract"
	"github.com/gardener-up/gardener-up/providers/managed"
)

const (
	managedResourceName = "extension-networking-local"
	documentKey         = "network.yaml"
)

// Types are the accepted network types.
func Types() []string { return []string{api.Type, "calico", "cilium"} }

// Actuator of all types.
type Actuator struct {
	// Client of the seed.
	Client client.Client
	// Manifest is applied to Shoots to make the network: YAML documents, a template with the field PodSubnet. It is
	// empty if no network is needed.
	Manifest string
	// Image is the appliance image. Pods that try connections use it; there are none if it is empty.
	Image string
	// Unchecked means that no Health looks at the networks.
	Unchecked bool
}

var _ contract.NetworkActuator = &Actuator{}

// Reconcile implements contract.Actuator.
func (a *Actuator) Reconcile(ctx context.Context, cluster *contract.Cluster, network *extensionsv1alpha1.Network) error {
	if err := checkConfig(network.Spec.Type, network.Spec.ProviderConfig); err != nil {
		return contract.Permanent(err, gardencorev1beta1.ErrorConfigurationProblem)
	}
	documents, err := configDocuments(network)
	if err != nil {
		return err
	}
	if a.Manifest != "" {
		made, err := render(a.Manifest, network.Spec.PodCIDR)
		if err != nil {
			return err
		}
		documents[documentKey] = made.documents
	}
	if a.Manifest != "" && a.Image != "" {
		triers, err := yamlOf(connectivity.Objects(a.Image))
		if err != nil {
			return err
		}
		maps.Copy(documents, triers)
	}
	if err := a.resource(network).Apply(ctx, documents); err != nil {
		return err
	}
	return a.report(cluster, network)
}

// report writes what was installed into the status. Of what was measured it removes what cannot be true any longer.
func (a *Actuator) report(cluster *contract.Cluster, network *extensionsv1alpha1.Network) error {
	status := api.NetworkStatus{}
	if err := api.Decode(network.Status.ProviderStatus, &status); err != nil {
		return err
	}
	status.TypeMeta, status.Simulated = api.Meta("NetworkStatus"), false
	status.Config = &api.NetworkConfigStatus{PodCIDR: network.Spec.PodCIDR, ServiceCIDR: network.Spec.ServiceCIDR, ProviderConfig: network.Spec.ProviderConfig}
	status.Message = "embedded nodes connect pods by the host's loopback network"
	policies := "network policies hold for pods in sandboxes"
	if a.Manifest != "" {
		status.Message, policies = "the network of the node image connects pods", "it decides about network policies"
	}
	if network.Spec.Type != api.Type {
		status.Simulated = true
		status.Message = fmt.Sprintf("%s is simulated: %s, %s", network.Spec.Type, status.Message, policies)
	}
	switch {
	case a.Unchecked:
		unmeasured(&status, "nobody asks the nodes of this seed's shoots")
	case cluster.Hibernated():
		unmeasured(&status, "the shoot is hibernated")
	case status.Components == nil && status.NotMeasured == "":
		unmeasured(&status, "nothing was measured yet")
	}
	network.Status.ProviderStatus = api.Encode(status)
	return nil
}

// unmeasured removes what was measured and says why.
func unmeasured(status *api.NetworkStatus, why string) {
	status.Components, status.NetworkModules, status.ConnectivityTests = nil, nil, nil
	status.NotMeasured = "components, networkModules and connectivityTests: " + why
}

// Restore implements contract.Actuator.
func (a *Actuator) Restore(ctx context.Context, cluster *contract.Cluster, network *extensionsv1alpha1.Network) error {
	return a.Reconcile(ctx, cluster, network)
}

// Delete implements contract.Actuator.
func (a *Actuator) Delete(ctx context.Context, _ *contract.Cluster, network *extensionsv1alpha1.Network) error {
	return a.resource(network).Delete(ctx)
}

// ForceDelete implements contract.Actuator.
func (a *Actuator) ForceDelete(ctx context.Context, _ *contract.Cluster, network *extensionsv1alpha1.Network) error {
	return a.resource(network).ForceDelete(ctx)
}

// Migrate implements contract.Actuator. The network stays in the Shoot, only its ManagedResource is removed.
func (a *Actuator) Migrate(ctx context.Context, _ *contract.Cluster, network *extensionsv1alpha1.Network) error {
	return a.resource(network).Migrate(ctx)
}

func (a *Actuator) resource(network *extensionsv1alpha1.Network) managed.Resource {
	return managed.Resource{Client: a.Client, Namespace: network.Namespace, Name: managedResourceName}
}
