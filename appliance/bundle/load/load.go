// Package load loads the images of a bundle into the image store of a landscape.
package load

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"time"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/appliance/component"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
)

// longest is how long loading may take. Gigabytes have to be unpacked.
const longest = 30 * time.Minute

// PartName is the name of the part that loads a bundle.
const PartName = "bundle"

// Images loads the images for containers that are for this machine, tells the name of each, and returns the digests of their manifests by name.
// Images that are there stay as they are, so that nothing is done a second time.
func Images(ctx context.Context, from *bundle.Bundle, into *imagestore.Store, tell func(name string)) (map[string]string, error) {
	loaded := map[string]string{}
	for _, content := range from.List.Contents {
		if content.Kind != bundle.Image {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		image, err := from.Image(content, runtime.GOARCH)
		if err != nil {
			return nil, fmt.Errorf("load %s: %w", content.Name, err)
		}
		if image == nil {
			return nil, fmt.Errorf("load %s: the bundle has it for %v, and this machine is %s", content.Name, from.List.Architectures, runtime.GOARCH)
		}
		digest, err := image.Digest()
		if err != nil {
			return nil, fmt.Errorf("load %s: %w", content.Name, err)
		}
		if found, err := into.Get("", content.Name); err != nil || found.Manifest != digest {
			if _, err := into.LoadImage(image, content.Name); err != nil {
				return nil, err
			}
		}
		loaded[content.Name] = digest.String()
		tell(content.Name)
	}
	return loaded, nil
}

// Inputs are what the part needs.
type Inputs struct {
	File  string                            // the bundle
	Note  string                            // path of the note which images it had
	Key   func() (ed25519.PublicKey, error) // nil if any key will do
	Open  func(ed25519.PublicKey) (*bundle.Bundle, error)
	Store func() (*imagestore.Store, error)
	Tell  func(name string) // of an image that is there
	Gone  func(error)       // is told why the bundle cannot be opened, although all its images are there
}

// Part loads a bundle each time the landscape starts. A bundle that is gone, as on a medium that was removed, is no error as long as all its
// images are there.
func Part(in Inputs) component.Part {
	return component.Part{Title: "bundle", ReadyTimeout: longest, Component: component.NewStep(PartName, func(ctx context.Context) error {
		key, err := in.Key()
		if err != nil {
			return err
		}
		into, err := in.Store()
		if err != nil {
			return err
		}
		from, err := in.Open(key)
		if errors.Is(err, fs.ErrNotExist) {
			if lacks := missing(in.Note, in.File, into); lacks != nil {
				return fmt.Errorf("%w; %w", err, lacks)
			}
			in.Gone(err)
			return nil
		}
		if err != nil {
			return err
		}
		defer func() { _ = from.Close() }()
		loaded, err := Images(ctx, from, into, in.Tell)
		if err != nil {
			return err
		}
		return note{Bundle: in.File, Images: loaded}.write(in.Note)
	}, nil)}
}
