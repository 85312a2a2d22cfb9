package trust

import (
	"maps"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strings"
)

// openListeners ask for no credential. docs/security.md gives the reasons under the same names.
var openListeners = map[string]struct {
	count int      // of listeners
	open  []string // what they answer besides openHere
}{
	"front door":  {1, nil},
	"name server": {1, nil},
	"health of part gardener-admission-controller":     {1, []string{"/metrics"}},
	"health of part gardener-controller-manager":       {1, nil},
	"health of part gardener-scheduler":                {1, nil},
	"health of part gardenlet":                         {1, nil},
	"health of part metrics":                           {1, nil}, // which answers metrics to tokens only
	"streams and webhooks of the daemon":               {4, nil},
	"streams of a node":                                {1, nil},
	"pod etcd-main:2381":                               {1, []string{"/metrics"}},
	"pod etcd-events:2381":                             {1, []string{"/metrics"}},
	"pod gardener-resource-manager:8081":               {1, nil},
	"pod gardener-resource-manager:10250":              {1, nil},
	"pod gardener-seed-admission-controller:8081":      {1, nil},
	"pod gardener-seed-admission-controller:10250":     {1, nil},
	"service gardener-seed-admission-controller:443":   {1, nil},
	"service virtual-garden-kube-apiserver:443":        {1, nil}, // which leads to the front door
	"service gardener-seed-admission-controller:10250": {1, nil},
	"pod machine-controller-manager:10258":             {1, nil},
	"pod cloud-controller-manager:10258":               {1, nil},

	"pod gardener-extension-provider-local-webhook:8081":      {1, nil},
	"pod gardener-extension-provider-local-webhook:10250":     {1, nil},
	"service gardener-extension-provider-local-webhook:10250": {1, nil},
}

// withoutCredential lets another Unix user ask all listeners of the landscape.
func withoutCredential(f *fixture) {
	listeners := f.listeners()
	if len(listeners) < 20 {
		f.t.Errorf("only %d listeners are found: %v", len(listeners), listeners)
	}
	names := f.names(listeners)
	open := map[string]int{}
	for address, found := range f.asStranger(attempts{Listeners: slices.Collect(maps.Keys(listeners))}).Answers {
		name := names.of(address)
		if !netip.MustParseAddrPort(address).Addr().IsLoopback() {
			f.t.Errorf("%s listens on %s, which other machines may reach", name, address)
		}
		asks := found.asksForCredential()
		if !asks {
			open[name]++
		}
		for _, statuses := range []map[string]int{found.Secure, found.Plain} {
			for path, status := range statuses {
				serves := status < http.StatusBadRequest || status >= http.StatusInternalServerError
				expected := slices.Contains(openHere, path) || slices.Contains(openListeners[name].open, path) || asks && path == "/version"
				if serves && !expected {
					f.t.Errorf("%s at %s answers %s with status %d", name, address, path, status)
				}
			}
		}
	}
	for name, count := range open {
		if openListeners[name].count != count {
			f.t.Errorf("%s: %d listeners ask for no credential, want %d", name, count, openListeners[name].count)
		}
	}
	for name := range openListeners {
		if open[name] == 0 {
			f.t.Errorf("%s is not there: remove it from the table", name)
		}
	}
	f.udp(names)
}

// udp checks that only the name server takes packets.
func (f *fixture) udp(names owners) {
	text, err := os.ReadFile("/proc/net/udp")
	if err != nil {
		f.t.Fatal(err)
	}
	own := f.inodes()
	const unconnected = "07"
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) < 10 || fields[3] != unconnected || own[fields[9]] == 0 {
			continue
		}
		if name := names.of(parseAddress(fields[1])); name != "name server" {
			f.t.Errorf("%s takes packets at %s", name, parseAddress(fields[1]))
		}
	}
}
