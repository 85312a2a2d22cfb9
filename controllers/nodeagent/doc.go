// Package nodeagent keeps a machine in the state that the OperatingSystemConfig of its pool describes. It runs on the
// machine as a service. It reads the Secret of the pool in kube-system of its cluster, applies changes within 30
// seconds, restarts the affected units and reports the applied configuration at the Node.
//
// The agent has few permissions: to read the Secrets of the pools and its own token, and to annotate nodes. A new
// machine starts with a bootstrap token that can read nothing but that token.
package nodeagent
