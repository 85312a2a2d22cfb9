package system

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/nodelocaldns"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/operation"
	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// NodeLocalDNS is the DNS cache of the nodes.
type NodeLocalDNS struct {
	Shoot    *gardencorev1beta1.Shoot
	Networks operation.Networks
	Space    seed.Space
}

// Reconcile deploys the DNS cache of the nodes, or removes it. A label of nodes says that they have the cache.
func (n NodeLocalDNS) Reconcile(ctx context.Context) error {
	if !helper.WantsNodeLocalDNS(n.Shoot) {
		return n.Space.DeleteManaged(ctx, nodelocaldns.Resource)
	}
	ip, err := n.Networks.ServiceIP(10)
	if err != nil {
		return err
	}
	values := n.values()
	values.ClusterDNS = ip.String()
	return n.Space.DeployManaged(ctx, nodelocaldns.Resource, false, nodelocaldns.Objects(values)...)
}

// values returns the settings in the spec, or those in annotations if the spec has none.
func (n NodeLocalDNS) values() nodelocaldns.Values {
	annotated := func(key string) bool { return n.Shoot.Annotations[key] != "false" }
	values := nodelocaldns.Values{
		IPVS:                  operation.IPVS(n.Shoot),
		ForceTCPToClusterDNS:  annotated(constants.ShootNodeLocalDNSForceTCPToClusterDNS),
		ForceTCPToUpstreamDNS: annotated(constants.ShootNodeLocalDNSForceTCPToUpstreamDNS),
	}
	if system := n.Shoot.Spec.SystemComponents; system != nil && system.NodeLocalDNS != nil {
		values.ForceTCPToClusterDNS = ptr.Deref(system.NodeLocalDNS.ForceTCPToClusterDNS, true)
		values.ForceTCPToUpstreamDNS = ptr.Deref(system.NodeLocalDNS.ForceTCPToUpstreamDNS, true)
		values.DisableForwardToUpstreamDNS = ptr.Deref(system.NodeLocalDNS.DisableForwardToUpstreamDNS, false)
	}
	return values
}

// NameServer is the name server of pods: CoreDNS, unless a cache on their node cannot take over its address.
func NameServer(shoot *gardencorev1beta1.Shoot, networks operation.Networks) (string, error) {
	if helper.WantsNodeLocalDNS(shoot) && operation.IPVS(shoot) {
		return nodelocaldns.Address, nil
	}
	ip, err := networks.ServiceIP(10)
	return ip.String(), err
}
