// Package pod runs the containers of one pod in one gVisor sandbox. It works for ordinary users: the sandbox is in namespaces of its own, in
// which that user is root. It executes nothing outside of the sandbox but gVisor itself.
//
// A Pod has an agent (package agent), which is the first process of its namespaces. When the agent ends, nothing of the pod is left
// but files. It ends when this process closes the connection to it or is killed. So pods do not survive the process that started them.
//
// The network of the pod has nothing but a loopback interface. Whoever wants to connect it gets the process of the agent.
package pod
