// Package groups limits the memory, the processor and the processes of sandboxed pods by control groups of the kernel, of version 1 or 2.
//
// The processes of a pod are its agent and everything that the agent starts: gVisor's kernel, its file servers, and the commands that control
// them. The agent enters the group of its pod before it does anything else. Nothing in a pod sees a control group, so nothing leaves it.
//
// The groups of a landscape are in one group, Root, below the group of its daemon or the nearest one above where it may make groups:
//
//	gardener-<landscape>/<cluster>/<node>/<pod>
//
// The package does not know pods and nodes. It imports the standard library and golang.org/x/sys only.
package groups
