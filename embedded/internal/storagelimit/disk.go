package storagelimit

import (
	"fmt"

	"github.com/spf13/pflag"

	"github.com/gardener-up/gardener-up/embedded/diskspace"
	"github.com/gardener-up/gardener-up/embedded/internal/kubecommand"
)

// Disk makes an API server that is a process of its own watch a disk. In a container, the root directory is on the disk of the node: there
// are the volumes of etcds, too, on embedded nodes and on all nodes of kind on one machine.
type Disk struct{ dir string }

// AddFlag adds the flag for the directory. By default it is the working directory.
func (d *Disk) AddFlag(flags *pflag.FlagSet) {
	flags.StringVar(&d.dir, "disk-watch", ".", "Directory whose disk is watched: writes are refused before it is full. Nothing is watched if empty.")
}

// Watch begins to watch; nil if nothing is to be watched.
func (d *Disk) Watch() (func(essential bool) error, error) {
	if d.dir == "" {
		return nil, nil
	}
	if _, err := diskspace.Free(d.dir); err != nil {
		return nil, fmt.Errorf("--disk-watch: how much of the disk of %q is free cannot be found out: %w", d.dir, err)
	}
	if kubecommand.Embedded() {
		return diskspace.New(d.dir).Low, nil
	}
	return diskspace.Named(d.dir, "the node's disk").Low, nil
}
