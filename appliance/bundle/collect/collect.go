// Package collect gets the content of a bundle: images from registries, from the image store of a landscape and from archives, Helm charts from
// registries, directories and archives, and the image of this binary. What it has got is kept beside the bundle until that is complete, so
// that an interrupted collection goes on where it stopped, in the middle of a layer, too.
package collect

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/local/applianceimage"
)

// Request says what goes into a bundle.
type Request struct {
	File          string // the bundle
	Key           ed25519.PrivateKey
	Version       string
	Architectures []string
	// Programs are the binaries whose images go into the bundle, one for each architecture.
	Programs []applianceimage.Program
	// Sources are references of images and charts, or paths. "store:" before the name of an image takes that of the store.
	Sources []string
	// NodeImages are references of images for nodes of kind.
	NodeImages []string
	// Store opens the image store of a landscape. It is called only if a source needs it.
	Store func() (*imagestore.Store, error)
	// Keychain has credentials for registries. Nil means none.
	Keychain authn.Keychain
	// Transport reaches registries. Nil means http.DefaultTransport.
	Transport http.RoundTripper
	// Tell is told what is being done.
	Tell func(string)
}

// storePrefix is before names of images in the store.
const storePrefix = "store:"

// Partial is the directory in which an incomplete bundle is collected.
func Partial(file string) string { return file + ".partial" }

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

// collection is what was found so far.
type collection struct {
	Request
	blobs    blobs
	contents map[string]*content // by name
}

func newCollection(r Request) (*collection, error) {
	if len(r.Architectures) == 0 {
		return nil, errors.New("a bundle is for one architecture at least")
	}
	r.Architectures = slices.Compact(slices.Sorted(slices.Values(r.Architectures)))
	store, err := openBlobs(Partial(r.File))
	return &collection{Request: r, blobs: store, contents: map[string]*content{}}, err
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
