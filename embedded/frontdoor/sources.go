package frontdoor

import (
	"context"
	"strings"
)

// Services is a RouteSource of a front door inside a cluster. It serves clients outside of the cluster that know API
// servers by the names of their Services, kube-apiserver.<namespace>.svc. In namespaces of shoots, those names lead
// to the Services.
type Services struct{}

// Run implements RouteSource.
func (Services) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// Route implements RouteSource.
func (Services) Route(serverName string) (Destination, bool) {
	name := strings.TrimSuffix(serverName, ".cluster.local")
	labels := strings.Split(name, ".")
	if len(labels) != 3 || labels[0] != apiServerService || !strings.HasPrefix(labels[1], shootPrefix) || labels[2] != "svc" {
		return Destination{}, false
	}
	return Destination{Host: name + ".cluster.local", Port: defaultPort}, true
}
