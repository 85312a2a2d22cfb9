// Package machine tells the kubelet about the machine: capacity, versions and usage, read from /proc when asked for.
// It takes the place of cAdvisor and of the kubelet's cgroup manager, neither of which an embedded node has. Only
// package node imports it.
package machine
