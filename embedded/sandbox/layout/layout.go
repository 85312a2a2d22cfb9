// Package layout says where sandboxes of a landscape have their files.
package layout

import (
	"os"
	"path/filepath"
)

// Variable has the directory of sandboxes, for processes in pods of an embedded seed. Without it, nodes of shoots simulate containers.
const Variable = "GARDENER_SANDBOXES"

// ClusterVariable has the namespace of the pod of a node or of an API server, which names its cluster.
const ClusterVariable = "POD_NAMESPACE"

// Dir is a directory of sandboxes.
type Dir string

// FromEnvironment is the directory for this process; empty if there is none.
func FromEnvironment() Dir { return Dir(os.Getenv(Variable)) }

// Images is the store of container images.
func (d Dir) Images() string { return filepath.Join(string(d), "images") }

// Programs has the programs that run sandboxes.
func (d Dir) Programs() string { return filepath.Join(string(d), "programs") }

// Group is the file with the control group of all pods in sandboxes.
func (d Dir) Group() string { return filepath.Join(string(d), "group.json") }

// Peers is the directory in which the nodes of a cluster have sockets for each other. The namespace of its control plane names the cluster.
func (d Dir) Peers(cluster string) string { return filepath.Join(string(d), "nodes", cluster) }
