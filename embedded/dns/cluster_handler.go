package dns

import (
	"github.com/go-logr/logr"
	"github.com/miekg/dns"

	"github.com/gardener-up/gardener-up/embedded/internal/catalog"
)

// ClusterConfig describes the names of one cluster.
type ClusterConfig struct {
	// Catalog has the Services of the cluster. Its owner runs it.
	Catalog *catalog.Catalog
	// Domain is the domain of the cluster. Default cluster.local.
	Domain string
	// Upstreams are the resolvers (host:port) for all other names. Nil means those of /etc/resolv.conf. If the list is empty, other
	// names do not exist.
	Upstreams []string
	Log       logr.Logger
}

// ClusterHandler answers questions about the names of a cluster. It has no ports: its owner carries questions and answers.
func ClusterHandler(config ClusterConfig) dns.Handler {
	if config.Domain == "" {
		config.Domain = defaultClusterDomain
	}
	if config.Upstreams == nil {
		config.Upstreams = systemUpstreams()
	}
	return &handler{
		cluster:  cluster{domain: dns.CanonicalName(config.Domain), catalog: config.Catalog},
		upstream: newUpstream(config.Upstreams, ""),
		log:      config.Log,
	}
}
