// Package containerruntime answers ContainerRuntimes: in the Shoot it makes a RuntimeClass, and where machines are containers
// it runs package install on the nodes of the pool, which puts the runtime there.
//
// Runtimes other than runc are simulated: their handlers exist and pods run by them, as runc. Nothing of a runtime is known
// outside of this package, not even to the rest of the provider.
package containerruntime
