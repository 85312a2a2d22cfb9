// Package install installs a container runtime on the node it runs on: a program, and the section of containerd's
// configuration that runs pods with it. It runs as a privileged pod, which mounts the node's files in a directory.
//
// The runtime is runc under another name. It uses the settings that the node's own configuration has for runc.
package install
