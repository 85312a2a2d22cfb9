// Package probes makes the probes and hooks of sandboxed containers through the network of their pod, as the kubelet makes those of other
// containers. The only way out of this package is a function that connects to a port of the pod.
package probes
