package load

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
)

// note says which images a bundle had, so that a landscape starts again without the bundle.
type note struct {
	Bundle string            `json:"bundle"` // its path
	Images map[string]string `json:"images"` // digests of the manifests by name
}

func (n note) write(file string) error {
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	return atomicfile.Write(file, append(text, '\n'), 0o600)
}

// missing returns an error that says what is not in the store of what the bundle had, or that nobody knows.
func missing(file, bundle string, store *imagestore.Store) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("nobody knows which images it had: %w", err)
	}
	var n note
	if err := json.Unmarshal(text, &n); err != nil || n.Bundle != bundle {
		return fmt.Errorf("%s does not say which images it had", file)
	}
	for name, digest := range n.Images {
		if found, err := store.Get("", name); err != nil || found.Manifest.String() != digest {
			return fmt.Errorf("its image %s is not there", name)
		}
	}
	return nil
}
