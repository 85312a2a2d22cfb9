package kind

import gatewaypods "github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"

// gatewayStep is between the ports of one gateway and those of the next one. With it no port is one that Kubernetes has on a
// node, nor one of another gateway, for as many handlers as the configuration allows.
const gatewayStep = 100

// chooseGatewayPorts gives every handler ports by their TLS ports: those that are remembered stay, others get the first that are
// free.
func chooseGatewayPorts(handlers []string, remembered map[string]int32) map[string]gatewaypods.Ports {
	chosen, taken := map[string]gatewaypods.Ports{}, map[int32]bool{0: true}
	usual := gatewaypods.UsualPorts
	take := func(handler string, n int32) {
		chosen[handler], taken[n] = gatewaypods.Ports{TLS: usual.TLS + n*gatewayStep, Proxy: usual.Proxy + n*gatewayStep, Tunnel: usual.Tunnel + n*gatewayStep}, true
	}
	for _, handler := range handlers {
		if n := (remembered[handler] - usual.TLS) / gatewayStep; remembered[handler] != 0 && !taken[n] {
			take(handler, n)
		}
	}
	for _, handler := range handlers {
		n := int32(1)
		for taken[n] {
			n++
		}
		if _, has := chosen[handler]; !has {
			take(handler, n)
		}
	}
	return chosen
}
