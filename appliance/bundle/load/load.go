// Package load loads the images of a bundle into the image store of a landscape.
package load

import (
	"context"
	"crypto/ed25519"
	"fmt"
	"runtime"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
)

// longest is how long loading may take. Gigabytes have to be unpacked.
const longest = 30 * time.Minute

// PartName is the name of the part that loads a bundle.
const PartName = "bundle"

// Images loads the images for containers that are for this machine, and tells the name of each. Images that are there stay as they are, so
// that nothing is done a second time.
func Images(ctx context.Context, from *bundle.Bundle, into *imagestore.Store, tell func(name string)) error {
	for _, content := range from.List.Contents {
		if content.Kind != bundle.Image {
			continue
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		image, err := from.Image(content, runtime.GOARCH)
		if err != nil {
			return fmt.Errorf("load %s: %w", content.Name, err)
		}
		if image == nil {
			return fmt.Errorf("load %s: the bundle has it for %v, and this machine is %s", content.Name, from.List.Architectures, runtime.GOARCH)
		}
		if there, err := has(into, content.Name, image); err != nil {
			return fmt.Errorf("load %s: %w", content.Name, err)
		} else if !there {
			if _, err := into.LoadImage(image, content.Name); err != nil {
				return err
			}
		}
		tell(content.Name)
	}
	return nil
}

// has reports whether the store has the very same image under that name, complete.
func has(store *imagestore.Store, name string, image v1.Image) (bool, error) {
	digest, err := image.Digest()
	if err != nil {
		return false, err
	}
	found, err := store.Get("", name)
	return err == nil && found.Manifest == digest, nil
}

// Inputs are what the part needs.
type Inputs struct {
	Key   func() (ed25519.PublicKey, error) // nil if any key will do
	Open  func(ed25519.PublicKey) (*bundle.Bundle, error)
	Store func() (*imagestore.Store, error)
	Tell  func(name string) // of an image that is there
}

// Part loads a bundle each time the landscape starts.
func Part(in Inputs) component.Part {
	return component.Part{Title: "bundle", ReadyTimeout: longest, Component: component.NewStep(PartName, func(ctx context.Context) error {
		key, err := in.Key()
		if err != nil {
			return err
		}
		from, err := in.Open(key)
		if err != nil {
			return err
		}
		defer func() { _ = from.Close() }()
		into, err := in.Store()
		if err != nil {
			return err
		}
		return Images(ctx, from, into, in.Tell)
	}, nil)}
}
