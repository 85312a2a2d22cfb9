package cluster

import (
	"context"
	"fmt"
)

// Where node images keep what connects pods and what provides volumes.
const (
	networkManifest = "/kind/manifests/default-cni.yaml"
	storageManifest = "/kind/manifests/default-storage.yaml"
)

// Brought is what a node image brings along for the clusters that are made of it.
type Brought struct {
	SystemImages
	// Network is a template with the field PodSubnet, Storage is complete; both are YAML documents.
	Network string
	Storage []byte
}

// Brought looks into the first node.
func (e *Existing) Brought(ctx context.Context) (Brought, error) {
	present, err := e.images(ctx, e.node())
	if err != nil {
		return Brought{}, err
	}
	images, err := findSystemImages(present)
	if err != nil {
		return Brought{}, err
	}
	network, err := e.engine.Exec(ctx, e.node(), nil, "cat", networkManifest)
	if err != nil {
		return Brought{}, fmt.Errorf("read the network of kind cluster %s: %w", e.name, err)
	}
	storage, err := e.engine.Exec(ctx, e.node(), nil, "cat", storageManifest)
	if err != nil {
		return Brought{}, fmt.Errorf("read the storage of kind cluster %s: %w", e.name, err)
	}
	return Brought{SystemImages: images, Network: string(network), Storage: storage}, nil
}
