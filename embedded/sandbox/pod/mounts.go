package pod

import (
	"path"
	"slices"
	"strconv"

	"github.com/gardener-up/gardener-up/embedded/sandbox/wire"
)

// Names of mounts in the file system of the pod.
const (
	pauseMount = "pause"
	imageMount = "image"
)

// private replaces the paths of a container by those in the file system of the pod, where the agent shows the directories and files: gVisor
// sees nothing else of the machine. It knows Config.Scratch by its own path.
func (c Config) private(of Container) (Container, []wire.Bind) {
	binds := []wire.Bind{{Source: of.Image, Name: path.Join(of.ID, imageMount)}}
	of.Image = at(of.ID, imageMount)
	of.Mounts = slices.Clone(of.Mounts)
	for i := range of.Mounts {
		source, name := of.Mounts[i].HostPath, strconv.Itoa(i)
		if j := slices.Index(c.Scratch, source); j >= 0 {
			of.Mounts[i].HostPath = scratchAt(j)
			continue
		}
		binds = append(binds, wire.Bind{Source: source, Name: path.Join(of.ID, name)})
		of.Mounts[i].HostPath = at(of.ID, name)
	}
	return of, binds
}

// scratch are the directories of the pod alone, in its file system.
func (c Config) scratch() (dirs []string, binds []wire.Bind) {
	for i, dir := range c.Scratch {
		dirs = append(dirs, scratchAt(i))
		binds = append(binds, wire.Bind{Source: dir, Name: "scratch/" + strconv.Itoa(i)})
	}
	return dirs, binds
}

func scratchAt(i int) string { return at("scratch", strconv.Itoa(i)) }

func at(elements ...string) string { return path.Join(append([]string{wire.Mounts}, elements...)...) }
