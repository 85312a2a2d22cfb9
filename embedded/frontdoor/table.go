package frontdoor

import (
	"fmt"
	"net"
	"strconv"
	"strings"
)

// table maps server names, exact or beginning with "*.", to destinations. It is immutable once built.
type table map[string]Destination

// add keeps the first destination of a name.
func (t table) add(name string, destination Destination) {
	name = strings.TrimSuffix(strings.ToLower(name), ".")
	if _, taken := t[name]; !taken && name != "" {
		t[name] = destination
	}
}

// lookup prefers the exact name, then the longest wildcard. A wildcard stands for any number of labels.
func (t table) lookup(serverName string) (Destination, bool) {
	if destination, ok := t[serverName]; ok {
		return destination, true
	}
	for rest := serverName; ; {
		_, parent, found := strings.Cut(rest, ".")
		if !found {
			return Destination{}, false
		}
		if destination, ok := t["*."+parent]; ok {
			return destination, true
		}
		rest = parent
	}
}

func staticTable(routes map[string]string) (table, error) {
	t := table{}
	for name, address := range routes {
		host, text, err := net.SplitHostPort(address)
		if err != nil {
			return nil, fmt.Errorf("route of %s: %w", name, err)
		}
		port, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("route of %s: %w", name, err)
		}
		t.add(name, Destination{Host: host, Port: port})
	}
	return t, nil
}
