package machine

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	machinev1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/machine/v1alpha1"
	"github.com/gardener-up/gardener-up/local/api"
	"github.com/gardener-up/gardener-up/local/machine/container"
	"github.com/gardener-up/gardener-up/providers/contract/machine"
)

// NewDriver makes the driver for all machines of the provider. The class says which machines are pods and which are
// containers. Machines that are pods have the image unless their class names another one.
func NewDriver(c client.Client, image string) machine.Driver {
	return composite{api.Pods: &Driver{Client: c, Image: image}, api.Containers: &container.Driver{Client: c}}
}

// composite passes every call to the driver of the class.
type composite map[api.MachineRuntime]machine.Driver

func (c composite) of(class *machinev1alpha1.MachineClass) (machine.Driver, error) {
	spec := api.MachineSpec{}
	if err := api.Decode(&runtime.RawExtension{Raw: class.ProviderSpec.Raw}, &spec); err != nil {
		return nil, machine.Errorf(machine.InvalidArgument, "read class %s: %w", class.Name, err)
	}
	if spec.Runtime == "" {
		spec.Runtime = api.Pods
	}
	driver, ok := c[spec.Runtime]
	if !ok {
		return nil, machine.Errorf(machine.InvalidArgument, "class %s wants machines of the unknown runtime %q", class.Name, spec.Runtime)
	}
	return driver, nil
}

// Create implements machine.Driver.
func (c composite) Create(ctx context.Context, request machine.Request) (machine.Instance, error) {
	driver, err := c.of(request.Class)
	if err != nil {
		return machine.Instance{}, err
	}
	return driver.Create(ctx, request)
}

// Start implements machine.Driver.
func (c composite) Start(ctx context.Context, request machine.Request) error {
	driver, err := c.of(request.Class)
	if err != nil {
		return err
	}
	return driver.Start(ctx, request)
}

// Status implements machine.Driver.
func (c composite) Status(ctx context.Context, request machine.Request) (machine.Instance, error) {
	driver, err := c.of(request.Class)
	if err != nil {
		return machine.Instance{}, err
	}
	return driver.Status(ctx, request)
}

// Delete implements machine.Driver.
func (c composite) Delete(ctx context.Context, request machine.Request) error {
	driver, err := c.of(request.Class)
	if err != nil {
		return err
	}
	return driver.Delete(ctx, request)
}

// List implements machine.Driver.
func (c composite) List(ctx context.Context, request machine.Request) (map[string]string, error) {
	driver, err := c.of(request.Class)
	if err != nil {
		return nil, err
	}
	return driver.List(ctx, request)
}
