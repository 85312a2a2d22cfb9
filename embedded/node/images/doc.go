// Package images is the image service of an embedded node's kubelet. Images of containers that really run are in the image
// store of the landscape. Images of other containers, those that are simulated or processes, count as present. The runtime
// (package runtime) may import it, and it knows no containers.
package images
