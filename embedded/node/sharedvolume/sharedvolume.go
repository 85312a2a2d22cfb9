// Package sharedvolume is what the provisioner of volumes and the nodes of a shoot agree on. All nodes of an embedded shoot are on one
// machine, so each reaches all volumes. A volume is a directory in that of its shoot. The cluster knows it by a path that is the same on
// every machine, so that a moved state directory or another seed changes nothing.
package sharedvolume

import (
	"os"
	"path"
	"path/filepath"
)

// Variable has the directory with the volumes of all shoots, for processes in pods of an embedded seed.
const Variable = "GARDENER_SHOOT_VOLUMES"

// root is where the cluster sees the volumes.
const root = "/var/lib/shoot-volumes"

// Dir is the directory of the machine with the volumes of the shoot whose control plane is in a namespace; empty if this process does
// not belong to an embedded seed.
func Dir(namespace string) string { return DirOf(os.Getenv, namespace) }

// DirOf is Dir for a component with variables of its own.
func DirOf(getenv func(name string) string, namespace string) string {
	if dir := getenv(Variable); dir != "" && namespace != "" {
		return filepath.Join(dir, namespace)
	}
	return ""
}

// Path is where the cluster sees a volume of that name.
func Path(name string) string { return path.Join(root, name) }

// Name is the inverse of Path. The name is one element of a path, and no link can be on the way to it: pods see what is in volumes, and not
// the directory that volumes are in.
func Name(at string) (name string, ok bool) {
	dir, name := path.Split(path.Clean(at))
	return name, path.Clean(dir) == root && name != "" && path.IsAbs(at)
}
