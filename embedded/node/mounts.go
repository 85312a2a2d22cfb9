package node

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/node/within"
)

var errNoVolume = errors.New("its source is no volume of the pod")

// base is the directory that a mount of a sandboxed pod must stay in: its volume, else the directory of the pod or that for hostPath. The
// rest of the node has its credentials and the volumes of other pods.
func (c Config) base(podUID, path string) (string, error) {
	own := filepath.Join(c.RootDir, "pods", podUID)
	volumes := filepath.Join(own, "volumes")
	switch path = filepath.Clean(path); {
	case podUID == "" || strings.ContainsAny(podUID, "./"):
	case within.Contains(volumes, path):
		rest := strings.Split(strings.TrimPrefix(path, volumes), string(os.PathSeparator)) // "", kind, name, …
		if len(rest) > 2 {
			return filepath.Join(volumes, rest[1], rest[2]), nil
		}
	case within.Contains(own, path):
		return own, nil
	case c.SharedVolumes != "" && within.Contains(c.SharedVolumes, path):
		if rest := strings.Split(strings.TrimPrefix(path, c.SharedVolumes), string(os.PathSeparator)); len(rest) > 1 { // "", name, …
			return filepath.Join(c.SharedVolumes, rest[1]), nil
		}
	case c.Volumes != "" && within.Contains(c.Volumes, path):
		// the volumes of shoots are below a directory whose name begins with a dot
		if rest := strings.Split(strings.TrimPrefix(path, c.Volumes), string(os.PathSeparator)); len(rest) > 1 && !strings.HasPrefix(rest[1], ".") {
			return filepath.Join(c.Volumes, rest[1]), nil
		}
	case within.Contains(c.hostPaths(), path):
		return c.hostPaths(), nil
	}
	return "", errNoVolume
}
