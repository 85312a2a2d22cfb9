package system

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/nodelocaldns"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// NodeLocalDNS is the DNS cache of the nodes.
type NodeLocalDNS struct {
	Operation *operation.Operation
	Space     seed.Space
}

// Reconcile deploys the DNS cache of the nodes, or removes it. A label of nodes says that they have the cache.
func (n NodeLocalDNS) Reconcile(ctx context.Context) error {
	if !n.Operation.NodeLocalDNS() {
		return n.Space.DeleteManaged(ctx, nodelocaldns.Resource)
	}
	ip, err := n.Operation.ServiceIP(10)
	if err != nil {
		return err
	}
	values := n.values()
	values.ClusterDNS = ip.String()
	return n.Space.DeployManaged(ctx, nodelocaldns.Resource, false, nodelocaldns.Objects(values)...)
}

// values returns the settings in the spec, or those in annotations if the spec has none.
func (n NodeLocalDNS) values() nodelocaldns.Values {
	annotated := func(key string) bool { return n.Operation.Shoot.Annotations[key] != "false" }
	values := nodelocaldns.Values{
		IPVS:                  n.Operation.IPVS(),
		ForceTCPToClusterDNS:  annotated(constants.ShootNodeLocalDNSForceTCPToClusterDNS),
		ForceTCPToUpstreamDNS: annotated(constants.ShootNodeLocalDNSForceTCPToUpstreamDNS),
	}
	if system := n.Operation.Shoot.Spec.SystemComponents; system != nil && system.NodeLocalDNS != nil {
		values.ForceTCPToClusterDNS = ptr.Deref(system.NodeLocalDNS.ForceTCPToClusterDNS, true)
		values.ForceTCPToUpstreamDNS = ptr.Deref(system.NodeLocalDNS.ForceTCPToUpstreamDNS, true)
		values.DisableForwardToUpstreamDNS = ptr.Deref(system.NodeLocalDNS.DisableForwardToUpstreamDNS, false)
	}
	return values
}

// NameServer is the name server of pods: CoreDNS, unless a cache on their node cannot take over its address.
func NameServer(op *operation.Operation) (string, error) {
	if op.NodeLocalDNS() && op.IPVS() {
		return nodelocaldns.Address, nil
	}
	ip, err := op.ServiceIP(10)
	return ip.String(), err
}
