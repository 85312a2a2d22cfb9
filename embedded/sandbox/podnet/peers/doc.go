// Package peers connects the pods of several nodes of one cluster. Each node is a process, which alone can reach into its pods. It listens
// on a Unix socket in a directory that only the nodes of the cluster use, and hands over connections to its pods. A port of the
// machine would not do: at the address of a pod, servers of the machine answer that listen at all its addresses.
package peers
