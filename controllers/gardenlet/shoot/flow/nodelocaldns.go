package flow

import (
	"context"

	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/nodelocaldns"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

// reconcileNodeLocalDNS deploys the DNS cache of the nodes, or removes it. Nodes are told by a label that they have it.
func (p *Plan) reconcileNodeLocalDNS(ctx context.Context) error {
	if !p.NodeLocalDNS() {
		return p.deleteManaged(ctx, nodelocaldns.Resource)
	}
	ip, err := p.ServiceIP(10)
	if err != nil {
		return err
	}
	values := p.nodeLocalDNSValues()
	values.ClusterDNS = ip.String()
	return p.deployManaged(ctx, nodelocaldns.Resource, false, nodelocaldns.Objects(values)...)
}

// nodeLocalDNSValues are the settings of the specification, or those of annotations where it has none.
func (p *Plan) nodeLocalDNSValues() nodelocaldns.Values {
	annotated := func(key string) bool { return p.Shoot.Annotations[key] != "false" }
	values := nodelocaldns.Values{
		IPVS:                  p.IPVS(),
		ForceTCPToClusterDNS:  annotated(constants.ShootNodeLocalDNSForceTCPToClusterDNS),
		ForceTCPToUpstreamDNS: annotated(constants.ShootNodeLocalDNSForceTCPToUpstreamDNS),
	}
	if system := p.Shoot.Spec.SystemComponents; system != nil && system.NodeLocalDNS != nil {
		values.ForceTCPToClusterDNS = ptr.Deref(system.NodeLocalDNS.ForceTCPToClusterDNS, true)
		values.ForceTCPToUpstreamDNS = ptr.Deref(system.NodeLocalDNS.ForceTCPToUpstreamDNS, true)
		values.DisableForwardToUpstreamDNS = ptr.Deref(system.NodeLocalDNS.DisableForwardToUpstreamDNS, false)
	}
	return values
}
