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

// Networks are the networks of an engine.
type Networks struct{ client }

// Inspect reads a network. The error is an ErrNotFound if no network has this name.
func (n Networks) Inspect(ctx context.Context, name string) (Network, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err := n.run(ctx, nil, "network", "inspect", name)
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

// Create makes a bridge with an IPv4 range that the engine chooses.
func (n Networks) Create(ctx context.Context, name string) error {
	return n.call(ctx, "create network "+name, "network", "create", "--driver", "bridge", name)
}

// Remove removes an unused network. A network that does not exist is not an error.
func (n Networks) Remove(ctx context.Context, name string) error {
	if err := n.call(ctx, "remove network "+name, "network", "rm", name); err != nil && !errors.Is(err, ErrNotFound) {
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
