// Package wire is the protocol between a node and what starts processes for it: its spawner, and the agents of its pods. Both ends are one
// binary's, so the format has no versions. Each message is one packet of JSON on a pair of Unix sockets of type SOCK_SEQPACKET. A request to run a command
// comes with the files that the command gets: the standard streams, and perhaps others from descriptor 3 on. Both the gardener and the nested program import this package, so it imports the
// standard library and golang.org/x/sys only.
package wire

// Mounts is the directory of a pod's own file system in which Binds appear.
const Mounts = "/.mounts"

// Request is a message of the node. Exactly one of Run, Signal and Unbind is set.
type Request struct {
	// ID names the command. The node chooses it and never uses it twice.
	ID     uint64  `json:"id"`
	Run    *Run    `json:"run,omitempty"`
	Signal *Signal `json:"signal,omitempty"`
	// Unbind names a Bind, or a directory with those to end. They end when no command uses them any more. No reply follows.
	Unbind string `json:"unbind,omitempty"`
}

// Run starts a command of the receiver's own file, in the namespaces of the receiver.
type Run struct {
	// Args follow the name of the program.
	Args []string `json:"args"`
	// Terminal makes the standard input the controlling terminal of the command.
	Terminal bool `json:"terminal,omitempty"`
	// Namespaces starts the command in new namespaces of all kinds but those of cgroups and time. There the user is root.
	Namespaces bool `json:"namespaces,omitempty"`
	// Binds are made before the command starts.
	Binds []Bind `json:"binds,omitempty"`
}

// Bind shows a directory or file of the machine in the file system of a pod.
type Bind struct {
	// Source is absolute and must not contain symbolic links: then the command does not start.
	Source string `json:"source"`
	// Name is the path in Mounts, which is made.
	Name string `json:"name"`
}

// Signal sends a signal to a command that runs. It is no error if the command has ended.
type Signal struct {
	Number int `json:"number"`
}

// Reply is the other message: a command has ended or could not start. One reply follows each Run, and another one precedes it if the Run asks for namespaces.
type Reply struct {
	ID uint64 `json:"id"`
	// Code is the exit code, or 128 and the number of the signal that ended the command.
	Code int `json:"code"`
	// Error says why the command could not start; it is empty otherwise.
	Error string `json:"error,omitempty"`
	// Started is the process of a command with Namespaces, as the receiver of the request sees it. Such a reply precedes the one about the end.
	Started int `json:"started,omitempty"`
}
