// Package nodeagent keeps a machine as its pool's OperatingSystemConfig says. It runs on the machine as a service: reads the
// pool's Secret in kube-system of the machine's cluster, applies what changed within 30 seconds, restarts the units
// concerned and tells the node which state it has.
//
// Its rights are few: to read the Secrets of the pools and its own token, and to annotate nodes. A new machine begins with a
// bootstrap token that can read nothing but that token.
package nodeagent
