// Package volume lets the kubelet's volume plugins work without mounting anything: a bind mount is a symbolic link, a
// memory file system is a plain directory. It is only for nodes whose containers are processes; only package node
// imports it.
package volume
