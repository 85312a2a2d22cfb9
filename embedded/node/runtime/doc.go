// Package runtime is a container runtime whose containers are processes. It implements the runtime and image services
// of the Container Runtime Interface in this process; the kubelet calls them without a socket.
//
// A pod sandbox is a directory and a loopback address. A container is a new process of this binary with the arguments of
// the container, if Config.Runs says so. Its root file system is a directory in which every volume mount is a
// symbolic link. Components that are passed to the runtime as tasks need no process: they are goroutines of this
// process, with the end, log and exit code of a container. Any other container is simulated: its state is Running, but
// nothing runs.
//
// The runtime isolates nothing: processes share network, users and files of the machine. Therefore it runs only what the
// landscape itself made, executes nothing else in containers, and forwards only declared ports. It knows neither the kubelet
// nor the Kubernetes API; package node connects them. All state is below Config.RootDir and survives a kill of this
// process.
package runtime
