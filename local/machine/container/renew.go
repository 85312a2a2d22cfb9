package container

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/providers/contract/machine"
)

var _ machine.Updater = &Driver{}

// Update implements machine.Updater. The node agent in the container updates the machine, but not the programs of the image from which the
// container was made.
func (d *Driver) Update(ctx context.Context, request machine.Request) (bool, error) {
	spec := api.MachineSpec{}
	if err := api.Decode(&runtime.RawExtension{Raw: request.Class.ProviderSpec.Raw}, &spec); err != nil {
		return false, machine.Errorf(machine.InvalidArgument, "read class %s: %w", request.Class.Name, err)
	}
	secret, err := d.read(ctx, request.Machine)
	if err != nil {
		return false, err
	}
	order, err := OrderOf(secret)
	if err != nil {
		return false, machine.Errorf(machine.InvalidArgument, "update machine in place: %w", err)
	}
	if order.Image != spec.NodeImage {
		return false, machine.Errorf(machine.InvalidArgument, "a container of image %s cannot become one of image %s in place: delete machine %s, so that a new one replaces it",
			order.Image, spec.NodeImage, request.Machine.Name)
	}
	return false, machine.ErrSelf
}
