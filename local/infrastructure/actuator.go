// Package infrastructure gives a Shoot its network: an ID that stays the same for the life of the Shoot, also when
// it moves to another seed, and a range for the nodes. It makes nothing outside of the object, since embedded nodes
// live on the host's loopback network.
package infrastructure

import (
	"context"
	"errors"

	"github.com/google/uuid"
	"k8s.io/apimachinery/pkg/runtime"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract"
)

// defaultNodesCIDR is for Shoots that let the provider choose the node network.
const defaultNodesCIDR = "10.10.0.0/16"

// New makes the actuator. beside means that nodes of shoots are in the network of the seed's nodes, whatever range
// Shoots name. The range of that network is reported, too.
func New(beside bool) contract.InfrastructureActuator {
	return contract.Simple[*extensionsv1alpha1.Infrastructure]{
		Apply: func(_ context.Context, cluster *contract.Cluster, infra *extensionsv1alpha1.Infrastructure) error {
			if err := apply(cluster, infra); err != nil {
				return err
			}
			infra.Status.Networking = nil
			if beside && cluster != nil && cluster.Seed != nil && cluster.Seed.Spec.Networks.Nodes != nil {
				infra.Status.Networking = &extensionsv1alpha1.InfrastructureStatusNetworking{Nodes: []string{*cluster.Seed.Spec.Networks.Nodes}}
			}
			return nil
		},
	}
}

func apply(cluster *contract.Cluster, infra *extensionsv1alpha1.Infrastructure) error {
	config := api.InfrastructureConfig{}
	if err := api.Decode(infra.Spec.ProviderConfig, &config); err != nil {
		return contract.Permanent(err, "ERR_CONFIGURATION_PROBLEM")
	}
	if err := raise(config.Fault); err != nil {
		return err
	}
	network := known(infra)
	network.TypeMeta = api.Meta("InfrastructureStatus")
	if network.NetworkID == "" {
		network.NetworkID = networkID(cluster, infra)
	}
	infra.Status.State = api.Encode(network)
	infra.Status.ProviderStatus = api.Encode(network)
	nodes := nodesCIDR(cluster)
	infra.Status.NodesCIDR = &nodes
	return nil
}

// known is the network as it was saved, or else as it was reported. What cannot be read is made again, with the same ID.
func known(infra *extensionsv1alpha1.Infrastructure) api.InfrastructureStatus {
	for _, document := range []*runtime.RawExtension{infra.Status.State, infra.Status.ProviderStatus} {
		network := api.InfrastructureStatus{}
		if err := api.Decode(document, &network); err == nil && network.NetworkID != "" {
			return network
		}
	}
	return api.InfrastructureStatus{}
}

// networkID depends only on the Shoot. So a reconciliation that still sees the object without a status chooses the
// same ID as the one before.
func networkID(cluster *contract.Cluster, infra *extensionsv1alpha1.Infrastructure) string {
	owner := infra.UID
	if cluster != nil && cluster.Shoot != nil && cluster.Shoot.UID != "" {
		owner = cluster.Shoot.UID
	}
	return uuid.NewSHA1(uuid.NameSpaceURL, []byte("local.gardener.cloud/networks/"+string(owner))).String()
}

// raise returns the error that a user requested.
func raise(fault *api.Fault) error {
	if fault == nil {
		return nil
	}
	err := errors.New("fault asked for by the providerConfig: " + fault.Message)
	if fault.Permanent {
		return contract.Permanent(err, fault.Codes...)
	}
	return contract.WithCodes(err, fault.Codes...)
}

func nodesCIDR(cluster *contract.Cluster) string {
	if cluster == nil || cluster.Shoot == nil || cluster.Shoot.Spec.Networking == nil || cluster.Shoot.Spec.Networking.Nodes == nil {
		return defaultNodesCIDR
	}
	return *cluster.Shoot.Spec.Networking.Nodes
}
