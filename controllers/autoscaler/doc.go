// Package autoscaler adds machines to a cluster when pods fit nowhere, and takes those away that nobody needs: the public
// cluster-autoscaler with the provider of machine-controller-manager, as far as shoots of Gardener configure it. It is a pod of
// a shoot's control plane: it looks at pods and nodes of the shoot, and changes the sizes of MachineDeployments beside itself.
// It makes and removes no machines; the machine-controller-manager does, the marked ones first.
//
// Every round looks at what is and decides anew. What a round remembers, since when a node has been unneeded for example, only
// delays what the next ones do; it may be lost at any time. What decides is in the packages below, as pure functions.
package autoscaler
