// Package handover is the protocol between package podnet in the daemon and package inside in a pod's namespaces. The daemon sends
// Setup, the agent answers with Ready. Afterwards the agent only makes sockets on request. A socket belongs to the network namespace
// where it was made, whichever process uses it. So the daemon accepts and connects with these sockets itself, and no data passes
// through the agent. Both programs import this package. It imports no package of Kubernetes.
package handover
