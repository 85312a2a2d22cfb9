// Command program is gVisor's runsc, reduced to the commands by which a node runs sandboxes. It is a module and a program of its own
// because its libraries need other versions than Kubernetes does, and because a process of it takes 20 MB where one of
// gardener takes 120 MB. `make build` compiles it into the folder bin beside it. Package sandbox contains it compressed.
//
// The command line is that of runsc: create, start, exec, kill, wait, state, delete and the like. The commands boot,
// gofer and umount are for runsc itself, which starts its own file with them. The commands agent and spawner are those of package agent.
package main
