package landscape

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/local"
)

// PartName is the name of the part that writes the objects.
const PartName = "landscape"

// Inputs of the part.
type Inputs struct {
	Values Values
	// Garden connects to the garden without a cache.
	Garden func() (client.Client, error)
	// After names the parts that must serve before the objects can be written.
	After []string
	// Title is shown on the progress line of the part.
	Title string
}

// Part writes these objects, and the registrations of the provider "local", into the garden when it starts.
func Part(in Inputs) component.Part {
	return component.Part{After: in.After, Title: in.Title, Component: component.NewStep(PartName, func(ctx context.Context) error {
		c, err := in.Garden()
		if err != nil {
			return err
		}
		all, err := Objects(in.Values)
		if err != nil {
			return err
		}
		if err := Apply(ctx, c, all); err != nil {
			return err
		}
		return Register(ctx, c, local.Registrations())
	}, nil)}
}
