// Package collect gets the content of a bundle: images from registries, from the image store of a landscape and from archives, Helm charts from
// registries, directories and archives, and the image of this binary. What it has got is kept beside the bundle until that is complete, so
// that an interrupted collection goes on where it stopped, in the middle of a layer, too.
package collect

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/embedded/image"
)

// Bundle collects everything and writes the bundle. It returns its digest and what it holds.
func Bundle(ctx context.Context, r Request) (digest string, list bundle.List, err error) {
	c, err := newCollection(r)
	if err != nil {
		return "", list, err
	}
	if err := c.appliance(); err != nil {
		return "", list, err
	}
	for _, source := range r.Sources {
		if err := c.add(ctx, source); err != nil {
			return "", list, fmt.Errorf("get %s: %w", source, err)
		}
	}
	for _, reference := range r.NodeImages {
		if err := c.fromRegistry(ctx, reference, bundle.NodeImage); err != nil {
			return "", list, fmt.Errorf("get node image %s: %w", reference, err)
		}
	}
	if list, err = c.list(); err != nil {
		return "", list, err
	}
	r.Tell("write " + r.File)
	if digest, err = bundle.Write(r.File, list, r.Key, c.blobs.dir); err != nil {
		return "", list, err
	}
	return digest, list, os.RemoveAll(c.blobs.dir)
}

// appliance adds the image of this binary.
func (c *collection) appliance() error {
	for _, program := range c.Programs {
		c.Tell("pack gardener for " + program.Architecture)
		img, err := program.Image()
		if err != nil {
			return err
		}
		if err := c.addImage(bundle.Appliance, image.Repository+":"+c.Version, img); err != nil {
			return err
		}
	}
	return nil
}

// add finds out what a source is.
func (c *collection) add(ctx context.Context, source string) error {
	c.Tell("get " + source)
	if name, is := strings.CutPrefix(source, storePrefix); is {
		return c.fromStore(name)
	}
	if reference, is := strings.CutPrefix(source, "oci://"); is {
		return c.fromRegistry(ctx, reference, "")
	}
	info, err := os.Stat(source)
	switch {
	case err == nil && info.IsDir() && exists(filepath.Join(source, chartFile)):
		return c.chartDirectory(source)
	case err == nil:
		return c.fromFile(source)
	case filepath.IsAbs(source) || strings.HasPrefix(source, "."):
		return err
	}
	return c.fromRegistry(ctx, source, "")
}

func (c *collection) fromStore(name string) error {
	store, err := c.Store()
	if err != nil {
		return err
	}
	img, reference, err := store.Image(name)
	if err != nil {
		return err
	}
	return c.addImage(bundle.Image, string(reference), img)
}
