// Package contract defines the interfaces that a provider implements to extend Gardener: one small interface per extension kind. It
// also defines the errors that an implementation may return, and the Cluster object that it may read. It knows nothing about
// annotations, finalizers or lastOperation. providers/reconcile handles these and calls the interfaces. Controllers, providers and
// tests may import it.
package contract
