// Package runtime is a container runtime whose containers are processes: the runtime and image services of the
// Container Runtime Interface, implemented in this process and called without a socket.
//
// A pod sandbox is a directory and a loopback address. A container of the appliance image is this binary started
// again with the container's arguments; its root file system is a directory in which every volume mount is a symbolic
// link. Components that are given to the runtime as tasks need no process: they are goroutines of this one, whose end, log
// and exit code are those of a container. A container of any other image is simulated: it is Running, and nothing runs.
//
// It isolates nothing: processes share the machine's network, users and files. It knows neither the kubelet nor the
// Kubernetes API; package node joins them. All state lies below Config.RootDir and survives a kill of this process.
package runtime
