// Package node is the embedded node. It is the kubelet of Kubernetes, with its probes, restarts, volumes, logs and
// API, on top of a container runtime that runs processes and tasks (package runtime). It mounts nothing, and uses control groups
// for pods in sandboxes only, where it may make some. So it needs neither root nor a user namespace, but works in both.
//
// A process can run only one node, because the kubelet registers metrics and configuration globally. Further nodes
// are separate processes (Command). It links k8s.io/kubernetes and knows nothing about Gardener.
package node
