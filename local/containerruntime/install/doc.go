// Package install puts a container runtime on the node it runs on: a program, and the section of containerd's configuration that
// makes pods run by it. It runs as a privileged pod and sees the node's files below a directory.
//
// The runtime is runc by another name. What the node's own configuration says about runc holds for it, too.
package install
