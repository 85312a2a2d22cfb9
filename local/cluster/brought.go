package cluster

import (
	"context"
	"fmt"
)

// Paths in node images of the manifests for the pod network and for volumes.
const (
	networkManifest = "/kind/manifests/default-cni.yaml"
	storageManifest = "/kind/manifests/default-storage.yaml"
)

// Brought holds the manifests that a node image contains for its clusters.
type Brought struct {
	SystemImages
	// Network is a template with the field PodSubnet. Storage is complete. Both are YAML documents.
	Network string
	Storage []byte
}

// Brought reads the manifests from the first node.
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
