package collect

import (
	"crypto/ed25519"
	"errors"
	"net/http"
	"os"
	"slices"

	"github.com/google/go-containerregistry/pkg/authn"
	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/gardener-up/gardener-up/appliance/bundle"
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

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// content is what has one name: a chart, or an image with its manifests for several architectures.
type content struct {
	kind      bundle.Kind
	manifests []v1.Descriptor
	// index is the whole index of an image that is named by digest, or that has no more platforms than the bundle.
	index *v1.Descriptor
}

// Partial is the directory in which an incomplete bundle is collected.
func Partial(file string) string { return file + ".partial" }
