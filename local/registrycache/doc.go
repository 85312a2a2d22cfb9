// Package registrycache answers Extensions of type registry-cache: in the Shoot it runs a pull-through cache for each
// registry that the Shoot names, and tells the nodes to ask it first. The documents are those of the public extension of that
// name, the caches are of package proxy.
//
// A cache is a help: nodes go to the registry itself when it does not answer. So nobody waits for caches, which could not run
// before there are nodes.
package registrycache
