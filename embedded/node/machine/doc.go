// Package machine describes the machine to the kubelet: capacity, versions and usage, read from /proc on demand. It replaces
// cAdvisor and the kubelet's cgroup manager, which an embedded node does not have. Only package node imports it.
package machine
