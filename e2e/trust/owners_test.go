package trust

import (
	"net"
	"net/url"
	"regexp"
	"strings"
)

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
	f.Status(&status)
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
