// Package owncache makes caches for single controllers. Each holds what no other controller of the process reads.
package owncache

import (
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/cluster"
	"sigs.k8s.io/controller-runtime/pkg/manager"
)

// New makes a cache of the cluster that starts and stops with the manager. The options say what it holds.
func New(mgr manager.Manager, of cluster.Cluster, options cache.Options) (cache.Cache, error) {
	options.HTTPClient, options.Scheme, options.Mapper = of.GetHTTPClient(), of.GetScheme(), of.GetRESTMapper()
	own, err := cache.New(of.GetConfig(), options)
	if err != nil {
		return nil, err
	}
	return own, mgr.Add(own)
}
