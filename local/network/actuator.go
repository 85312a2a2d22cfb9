// Package network connects the pods of Shoots, for the network types local, calico and cilium. Pods of embedded nodes have addresses
// on the host's loopback network and reach each other without a pod network. Pods of machines that are containers get the network
// that every node image contains for its own cluster. In neither case is Calico or Cilium installed; the status says so.
package network

import (
	"bytes"
	"context"
	"fmt"
	"text/template"

	"sigs.k8s.io/controller-runtime/pkg/client"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/managed"
	"github.com/gardener-up/gardener-up/providers/contract"
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
}

var _ contract.NetworkActuator = &Actuator{}

// Reconcile implements contract.Actuator.
func (a *Actuator) Reconcile(ctx context.Context, _ *contract.Cluster, network *extensionsv1alpha1.Network) error {
	status := api.NetworkStatus{TypeMeta: api.Meta("NetworkStatus"), Message: "embedded nodes connect pods by the host's loopback network"}
	policies := "network policies are not enforced"
	if a.Manifest != "" {
		documents, err := render(a.Manifest, network.Spec.PodCIDR)
		if err != nil {
			return err
		}
		if err := a.resource(network).Apply(ctx, map[string][]byte{documentKey: documents}); err != nil {
			return err
		}
		status.Message, policies = "the network of the node image connects pods", "it decides about network policies"
	}
	if network.Spec.Type != api.Type {
		status.Simulated = true
		status.Message = fmt.Sprintf("%s is simulated: %s, %s", network.Spec.Type, status.Message, policies)
	}
	network.Status.ProviderStatus = api.Encode(status)
	return nil
}

// Restore implements contract.Actuator.
func (a *Actuator) Restore(ctx context.Context, cluster *contract.Cluster, network *extensionsv1alpha1.Network) error {
	return a.Reconcile(ctx, cluster, network)
}

// Delete implements contract.Actuator.
func (a *Actuator) Delete(ctx context.Context, _ *contract.Cluster, network *extensionsv1alpha1.Network) error {
	if a.Manifest == "" {
		return nil
	}
	return a.resource(network).Delete(ctx)
}

// ForceDelete implements contract.Actuator.
func (a *Actuator) ForceDelete(ctx context.Context, _ *contract.Cluster, network *extensionsv1alpha1.Network) error {
	if a.Manifest == "" {
		return nil
	}
	return a.resource(network).ForceDelete(ctx)
}

// Migrate implements contract.Actuator. The network stays in the Shoot, only its ManagedResource is removed.
func (a *Actuator) Migrate(ctx context.Context, _ *contract.Cluster, network *extensionsv1alpha1.Network) error {
	if a.Manifest == "" {
		return nil
	}
	return a.resource(network).Migrate(ctx)
}

func (a *Actuator) resource(network *extensionsv1alpha1.Network) managed.Resource {
	return managed.Resource{Client: a.Client, Namespace: network.Namespace, Name: managedResourceName}
}

// render fills in the pod range, as kind does for its own clusters.
func render(manifest, podCIDR string) ([]byte, error) {
	tmpl, err := template.New("network").Option("missingkey=error").Parse(manifest)
	if err != nil {
		return nil, fmt.Errorf("parse manifest of the network: %w", err)
	}
	var out bytes.Buffer
	if err := tmpl.Execute(&out, struct{ PodSubnet string }{podCIDR}); err != nil {
		return nil, fmt.Errorf("render manifest of the network: %w", err)
	}
	return out.Bytes(), nil
}
