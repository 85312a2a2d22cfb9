// Package node is the embedded node: the kubelet of Kubernetes, with its probes, restarts, volumes, logs and API, over
// a container runtime that runs processes and tasks (package runtime). It mounts nothing and uses no cgroups, so it needs
// neither root nor a user namespace, though it works in both.
//
// A process can run one node, because the kubelet registers metrics and configuration globally; further nodes are
// processes of their own (Command). It links k8s.io/kubernetes and knows nothing about Gardener.
package node
