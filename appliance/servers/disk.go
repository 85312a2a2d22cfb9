package servers

import (
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/embedded/diskspace"
)

// Disk is the name of the part that tells how full the disk of the state directory is.
const Disk = "disk"

// DiskPart tells whether API servers refuse writes because of the disk. They ask the same watch.
func DiskPart(watch *diskspace.Watch) component.Part {
	return component.Part{Component: disk{component.NewStep(Disk, nil, nil), watch}}
}

type disk struct {
	component.Component
	component.Warner
}
