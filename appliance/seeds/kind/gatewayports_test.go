package kind

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	gatewaypods "github.com/gardener-up/gardener-up/controllers/gardenlet/component/frontdoor"
)

func TestChooseGatewayPorts(t *testing.T) {
	first := gatewaypods.Ports{TLS: 543, Proxy: 8543, Tunnel: 8232}
	second := gatewaypods.Ports{TLS: 643, Proxy: 8643, Tunnel: 8332}
	for name, tc := range map[string]struct {
		handlers   []string
		remembered map[string]int32
		want       map[string]gatewaypods.Ports
	}{
		"PRT-4 new handlers get ports one after the other": {
			[]string{"a", "b"}, nil, map[string]gatewaypods.Ports{"a": first, "b": second}},
		"PRT-4 ports stay when a handler before goes": {
			[]string{"b"}, map[string]int32{"b": second.TLS}, map[string]gatewaypods.Ports{"b": second}},
		"PRT-4 ports stay when another handler comes before": {
			[]string{"new", "b"}, map[string]int32{"b": first.TLS}, map[string]gatewaypods.Ports{"b": first, "new": second}},
		"PRT-4 a handler that comes back while its ports are taken gets others": {
			[]string{"a", "back"}, map[string]int32{"a": first.TLS, "back": first.TLS}, map[string]gatewaypods.Ports{"a": first, "back": second}},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, chooseGatewayPorts(tc.handlers, tc.remembered)); diff != "" {
				t.Errorf("ports (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("PRT-4 PRT-1 no gateway has a port of another one or of Kubernetes", func(t *testing.T) {
		var handlers []string
		for n := range 50 { // as many as a configuration may have
			handlers = append(handlers, fmt.Sprint("h", n))
		}
		usual := gatewaypods.UsualPorts
		taken := map[int32]bool{usual.TLS: true, usual.Proxy: true, usual.Tunnel: true}
		for _, port := range []int32{2379, 2380, 2381, 6443, 10248, 10249, 10250, 10256, 10257, 10259} {
			taken[port] = true
		}
		for handler, ports := range chooseGatewayPorts(handlers, nil) {
			for _, port := range []int32{ports.TLS, ports.Proxy, ports.Tunnel} {
				if taken[port] || port >= 30000 { // from there on are node ports
					t.Errorf("port %d of handler %s is taken", port, handler)
				}
				taken[port] = true
			}
		}
	})
}
