// Package contract is what a provider implements to extend Gardener: one small interface per extension kind, the errors
// such an implementation may return, and the Cluster object it may look at. It knows nothing about annotations,
// finalizers or lastOperation; those are the business of providers/reconcile, which calls the interfaces.
// Controllers, providers and tests may import it.
package contract
