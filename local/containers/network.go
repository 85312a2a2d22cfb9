package containers

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Network is a network of the engine.
type Network struct {
	Name    string
	Subnets []string
}

// InspectNetwork reads a network. The error is an ErrNotFound if no network has this name.
func (e *Engine) InspectNetwork(ctx context.Context, name string) (Network, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err := e.run(ctx, nil, "network", "inspect", name)
	if missing(err) {
		return Network{}, fmt.Errorf("network %s: %w", name, ErrNotFound)
	}
	if err != nil {
		return Network{}, fmt.Errorf("inspect network %s: %w", name, err)
	}
	subnets, err := parseSubnets(out)
	if err != nil {
		return Network{}, fmt.Errorf("inspect network %s: %w", name, err)
	}
	return Network{Name: name, Subnets: subnets}, nil
}

// CreateNetwork makes a bridge with an IPv4 range that the engine chooses.
func (e *Engine) CreateNetwork(ctx context.Context, name string) error {
	return e.call(ctx, "create network "+name, "network", "create", "--driver", "bridge", name)
}

// RemoveNetwork removes an unused network. A network that does not exist is not an error.
func (e *Engine) RemoveNetwork(ctx context.Context, name string) error {
	if err := e.call(ctx, "remove network "+name, "network", "rm", name); err != nil && !errors.Is(err, ErrNotFound) {
		return err
	}
	return nil
}

// parseSubnets reads the format of docker and nerdctl, and that of podman.
func parseSubnets(data []byte) ([]string, error) {
	var described []struct {
		IPAM struct {
			Config []struct{ Subnet string }
		}
		Subnets []struct{ Subnet string } `json:"subnets"`
	}
	if err := json.Unmarshal(data, &described); err != nil {
		return nil, fmt.Errorf("read the engine's answer: %w", err)
	}
	var out []string
	for _, d := range described {
		for _, c := range append(d.IPAM.Config, d.Subnets...) {
			if c.Subnet != "" {
				out = append(out, c.Subnet)
			}
		}
	}
	return out, nil
}
