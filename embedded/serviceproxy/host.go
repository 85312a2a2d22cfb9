package serviceproxy

import (
	"fmt"
	"strings"
)

// parseHost parses <service>.<namespace>.svc, with or without a cluster domain.
func parseHost(host string) (namespace, name string, err error) {
	labels := strings.Split(strings.TrimSuffix(host, "."), ".")
	if len(labels) < 3 || labels[2] != "svc" {
		return "", "", fmt.Errorf("%q is not the name of a Service", host)
	}
	return labels[1], labels[0], nil
}
