// Package kernel asks the kernel about a pod's network, by sockets that were made in the pod's network namespace: which ports are
// listened on, and where redirected connections and packets were sent to.
package kernel
