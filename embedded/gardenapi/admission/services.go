package admission

import (
	"net/url"

	"k8s.io/apiserver/pkg/util/proxy"
	corelisters "k8s.io/client-go/listers/core/v1"
)

// serviceResolver finds webhooks behind Services of the garden, which has no service network that this process could
// use: only Services of type ExternalName and those with a reachable cluster IP work.
type serviceResolver struct {
	services corelisters.ServiceLister
}

func (r serviceResolver) ResolveEndpoint(namespace, name string, port int32) (*url.URL, error) {
	return proxy.ResolveCluster(r.services, namespace, name, port)
}
