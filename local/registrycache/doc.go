// Package registrycache handles Extensions of type registry-cache. In the Shoot it runs a pull-through cache for each registry that
// the Shoot names, and configures the nodes to ask the cache first. The documents are those of the public extension of that name.
// Package proxy implements the caches.
//
// A cache is optional: nodes ask the registry itself if the cache does not answer. So nothing waits for caches, which cannot run
// before there are nodes.
package registrycache
