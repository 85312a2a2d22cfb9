// Package sandbox contains the programs that run containers in gVisor sandboxes: runsc, which is compiled from the module in folder
// program, and pause, the first container of each pod. They are compressed files in the folder bin, which `make build` writes. A
// binary that was built without them works, but its nodes only simulate containers.
//
// Package pod runs the containers of a pod; package agent is the part of it inside the pod's namespaces; package wire is the
// protocol between them. None of them knows the kubelet.
package sandbox
