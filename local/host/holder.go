package host

import (
	"context"
	"fmt"

	"github.com/gardener-up/gardener-up/local/containers"
)

// Place is where the garden has a shoot.
type Place struct {
	// Seed is responsible for the shoot. It is empty if there is no such shoot.
	Seed string
	// Moving means that the shoot leaves a seed and is not complete on another one yet.
	Moving bool
}

// holder is the seed that a container belongs to, or empty if a seed has released it and no other one has it yet. The label names the
// seed that made the container, and labels never change. So the inventory knows who has it now.
func (c Config) holder(found containers.Container) (string, error) {
	seed, known, err := c.Inventory.Holder(InventoryKind, found.Name)
	if err != nil {
		return "", fmt.Errorf("find out whose container %s is: %w", found.Name, err)
	}
	if !known {
		seed = found.Labels[LabelSeed]
	}
	return seed, nil
}

// mine selects the containers that belong to the seed of this agent.
func (c Config) mine(found []containers.Container) (own []containers.Container, err error) {
	for _, one := range found {
		holder, err := c.holder(one)
		if err != nil {
			return nil, err
		}
		if holder == c.Seed {
			own = append(own, one)
		}
	}
	return own, nil
}

// hold takes over the container of an order if the shoot has moved to this seed. Whether it has, only the garden knows: others can write
// orders with the name of a container that they want to have.
func (r *Reconciler) hold(ctx context.Context, s *scope, found containers.Container) error {
	holder, err := r.holder(found)
	if err != nil || holder == r.Seed {
		return err
	}
	place, err := r.placeOf(ctx, s.order.Namespace)
	if err != nil {
		return err
	}
	if place.Seed != r.Seed {
		return fmt.Errorf("container %s belongs to seed %q, and the garden has the shoot on seed %q", found.Name, holder, place.Seed)
	}
	r.Log.Info("Taking over the container of a machine", "machine", s.order.Machine, "container", found.Name, "from", holder)
	if err := r.Inventory.Hold(InventoryKind, found.Name, r.Seed); err != nil {
		return fmt.Errorf("note that container %s belongs to seed %q: %w", found.Name, r.Seed, err)
	}
	return nil
}

func (r *Reconciler) placeOf(ctx context.Context, shoot string) (Place, error) {
	if r.Place == nil {
		return Place{}, nil
	}
	place, err := r.Place(ctx, shoot)
	if err != nil {
		return place, fmt.Errorf("ask the garden where shoot %s is: %w", shoot, err)
	}
	return place, nil
}

// release gives a container to nobody. The seed that the shoot moves to takes it over.
func (r *Reconciler) release(name string) error {
	r.Log.Info("Releasing the container of a machine", "container", name)
	if err := r.Inventory.Hold(InventoryKind, name, ""); err != nil {
		return fmt.Errorf("note that container %s is released: %w", name, err)
	}
	return nil
}

// disposeReleased removes containers that no seed has, when no seed will take them over: the shoot is gone, or it is complete on a seed
// whose machines are no containers.
func (r *Reconciler) disposeReleased(ctx context.Context, found []containers.Container) error {
	if r.Place == nil {
		return nil
	}
	for _, one := range found {
		if holder, err := r.holder(one); err != nil || holder != "" {
			if err != nil {
				return err
			}
			continue
		}
		place, err := r.placeOf(ctx, one.Labels[LabelShoot])
		if err != nil {
			return err
		}
		if place.Moving {
			continue
		}
		if holder, err := r.holder(one); err != nil || holder != "" { // taken over in the meantime
			return err
		}
		if err := r.dispose(ctx, one.Name); err != nil {
			return err
		}
	}
	return nil
}
