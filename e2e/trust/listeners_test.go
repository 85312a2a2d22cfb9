package trust

import (
	"crypto/tls"
	"encoding/json"
	"fmt"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"time"
)

// answers are what a listener tells somebody without a credential.
type answers struct {
	Refused string         // the alert of TLS, if there was one
	Secure  map[string]int // status by path, of HTTPS
	Plain   map[string]int // of HTTP
}

// openHere are the paths that any server may answer everybody: whether it works.
var openHere = []string{"/healthz", "/livez", "/readyz", "/health"}

// closed are paths that servers of our kinds have, and that tell or do more.
var closed = []string{
	"/", "/api", "/api/v1/secrets", "/apis", "/apis/core.gardener.cloud/v1beta1/shoots", "/openapi/v2", "/configz", "/debug/pprof/", "/debug/pprof/heap", "/debug/flags/v",
	"/debug/resource-dependency-graph", "/logs/", "/pods", "/runningpods/", "/stats/summary", "/metrics/cadvisor", "/exec/token", "/attach/token", "/portforward/token",
	"/containerLogs/kube-system/pod/container", "/run/kube-system/pod/container", "/config", "/v2/keys/", "/v3/kv/range", "/members", "/api/v1/query", "/webhooks/auth/seed",
}

// remoteAlert begins the errors that crypto/tls makes of alerts of the other side.
const remoteAlert = "remote error: tls:"

// sometimes are paths that some servers answer everybody.
var sometimes = []string{"/metrics", "/version"}

// ask asks a listener for everything, first over TLS and then without.
func ask(address string) answers {
	var found answers
	found.Secure, found.Refused = get("https://" + address)
	if len(found.Secure) == 0 && found.Refused == "" {
		found.Refused = alert(address)
	}
	found.Plain, _ = get("http://" + address)
	return found
}

func get(base string) (map[string]int, string) {
	found, refused := map[string]int{}, ""
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} //nolint:gosec // it is not us who must be protected
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: 10 * time.Second, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	for _, path := range slices.Concat(openHere, closed, sometimes) {
		response, err := client.Get(base + path)
		if err != nil {
			if strings.Contains(err.Error(), remoteAlert) {
				refused = err.Error()
			}
			if len(found) == 0 { // another protocol: the other paths would tell the same
				return found, refused
			}
			continue
		}
		_ = response.Body.Close()
		found[path] = response.StatusCode
	}
	return found, refused
}

// alert waits for the alert of TLS without sending anything. A request may break the connection before the alert is read.
func alert(address string) string {
	const patience = 10 * time.Second
	connection, err := tls.DialWithDialer(&net.Dialer{Timeout: patience}, "tcp", address, &tls.Config{InsecureSkipVerify: true}) //nolint:gosec // as above
	if err == nil {
		_ = connection.SetReadDeadline(time.Now().Add(patience))
		_, err = connection.Read(make([]byte, 1))
		_ = connection.Close()
	}
	if err != nil && strings.Contains(err.Error(), remoteAlert) {
		return err.Error()
	}
	return ""
}

// asksForCredential says whether a listener has refused us because it does not know who we are.
func (a answers) asksForCredential() bool {
	refuses := func(status int) bool { return status == http.StatusUnauthorized || status == http.StatusForbidden }
	return strings.Contains(a.Refused, "certificate required") || strings.Contains(a.Refused, "bad certificate") || refuses(a.Secure["/"]) || refuses(a.Secure["/pods"])
}

// openListeners are those that ask nobody for a credential. docs/security.md tells the reasons, by the same names.
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
	"streams and webhooks of the daemon":               {2, nil},
	"streams of a node":                                {1, nil},
	"pod etcd-main:2381":                               {1, []string{"/metrics"}},
	"pod etcd-events:2381":                             {1, []string{"/metrics"}},
	"pod gardener-resource-manager:8081":               {1, nil},
	"pod gardener-resource-manager:10250":              {1, nil},
	"pod gardener-seed-admission-controller:8081":      {1, nil},
	"pod gardener-seed-admission-controller:10250":     {1, nil},
	"service gardener-seed-admission-controller:443":   {1, nil},
	"service gardener-seed-admission-controller:10250": {1, nil},
	"pod machine-controller-manager:10258":             {1, nil},
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

// parseAddress parses an IPv4 address and port as the kernel prints them; empty if it is none.
func parseAddress(text string) string {
	var ip [4]byte
	var port uint16
	if _, err := fmt.Sscanf(text, "%02X%02X%02X%02X:%04X", &ip[3], &ip[2], &ip[1], &ip[0], &port); err != nil || len(text) != len("00000000:0000") {
		return ""
	}
	return netip.AddrPortFrom(netip.AddrFrom4(ip), port).String()
}

// owners names listeners: by their addresses, or by the host of the address.
type owners struct{ addresses, hosts map[string]string }

func (o owners) of(address string) string {
	host, port, _ := net.SplitHostPort(address)
	if name, ok := o.addresses[address]; ok {
		return name
	}
	return o.hosts[host] + ":" + port
}

// generated are the ends of the names of pods: that of a Deployment, whose hash may be short, or that of a StatefulSet.
var generated = regexp.MustCompile(`(-[4-9bcdf]{1,10}-[a-z0-9]{5}|-\d+)$`)

// names asks the landscape for what it tells about its listeners. The others are named by their processes.
func (f *fixture) names(listeners map[string]int) owners {
	names := owners{addresses: map[string]string{}, hosts: map[string]string{}}
	var status struct {
		FrontDoor, NameServer string
		Parts                 []struct{ Name, Health string }
	}
	if err := json.Unmarshal([]byte(f.Gardener("status", "-o", "json")), &status); err != nil {
		f.t.Fatal(err)
	}
	for address, pid := range listeners {
		if strings.HasPrefix(address, "127.0.0.1:") {
			names.addresses[address] = "streams of a node"
			if pid == f.Daemon() {
				names.addresses[address] = "streams and webhooks of the daemon"
			}
		}
	}
	names.addresses[status.FrontDoor], names.addresses[status.NameServer] = "front door", "name server"
	for _, part := range status.Parts {
		if health, err := url.Parse(part.Health); err == nil && part.Health != "" {
			names.addresses[health.Host] = "health of part " + part.Name
		}
	}
	for kind, path := range map[string]string{"pod": "{.status.podIP}", "service": "{.spec.clusterIP}"} {
		for line := range strings.Lines(f.Kubectl(f.Seed(), "get", kind, "-A", "-o", "jsonpath={range .items[*]}{.metadata.name} "+path+"{\"\\n\"}{end}")) {
			if fields := strings.Fields(line); len(fields) == 2 {
				names.hosts[fields[1]] = kind + " " + generated.ReplaceAllString(fields[0], "")
			}
		}
	}
	return names
}
