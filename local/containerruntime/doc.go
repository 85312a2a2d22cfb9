// Package containerruntime handles ContainerRuntimes. It makes a RuntimeClass in the Shoot. If machines are containers, it also runs
// package install on the nodes of the pool to install the runtime.
//
// Runtimes other than runc are simulated: their handlers exist, but run pods with runc. No other package, not even the rest of the
// provider, knows about runtimes.
package containerruntime
