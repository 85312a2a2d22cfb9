// Package inside makes the network of a pod from within the pod's namespaces. The agent of the pod calls it. Package podnet, which
// runs in the daemon, is the other end. This package imports no package of Kubernetes, because the small program of the agent
// contains it.
package inside
