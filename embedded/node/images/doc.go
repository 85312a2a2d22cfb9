// Package images is the image service of an embedded node's kubelet. The image store of the landscape holds the images of containers
// that really run. Images of containers that are simulated or are processes count as present. The runtime (package runtime) may
// import this package. It knows no containers.
package images
