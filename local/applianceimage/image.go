// Package applianceimage builds the appliance image, the container image of this binary, from the binary itself. It
// needs no container engine, no builder and no registry. The same binary always gives the same digest.
package applianceimage

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
	"github.com/gardener-up/gardener-up/embedded/image"
)

// path of the binary in the image, which is the entry point, too.
const path = "/gardener"

// Program is a binary and what it is.
type Program struct {
	Binary       string // path
	Architecture string // as Go names it
	Version      string
}

// Build makes the image of a binary of the version and the architecture of this process.
func Build(binary string) (v1.Image, error) {
	return Program{Binary: binary, Architecture: runtime.GOARCH, Version: image.Version}.Image()
}

// Image makes the image of the program. It reads the file again each time the content is requested.
func (p Program) Image() (v1.Image, error) {
	layer, err := newLayer(p.Binary)
	if err != nil {
		return nil, err
	}
	oci := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	base, err := mutate.AppendLayers(oci, layer)
	if err != nil {
		return nil, fmt.Errorf("add layer to the appliance image: %w", err)
	}
	file, err := base.ConfigFile()
	if err != nil {
		return nil, fmt.Errorf("read configuration of the appliance image: %w", err)
	}
	file = file.DeepCopy()
	file.OS, file.Architecture = "linux", p.Architecture
	file.Created = v1.Time{Time: time.Unix(0, 0).UTC()}
	file.Config = v1.Config{
		Entrypoint: []string{path},
		WorkingDir: "/",
		Env:        []string{"PATH=/"},
		Labels:     map[string]string{"org.opencontainers.image.title": "gardener", "org.opencontainers.image.version": p.Version},
	}
	return mutate.ConfigFile(base, file)
}

// Save writes the image, by its reference, as an archive that container engines and containerd can load.
// An existing archive is replaced only when the new one is complete.
func Save(binary, reference, archive string) error {
	img, err := Build(binary)
	if err != nil {
		return err
	}
	tag, err := name.NewTag(reference, name.WithDefaultRegistry(""))
	if err != nil {
		return fmt.Errorf("name the appliance image: %w", err)
	}
	if err := os.MkdirAll(filepath.Dir(archive), 0o755); err != nil {
		return fmt.Errorf("make directory of the archive: %w", err)
	}
	err = atomicfile.WriteBy(archive, 0o600, func(w io.Writer) error { return tarball.Write(tag, img, w) })
	if err != nil {
		return fmt.Errorf("write archive of the appliance image: %w", err)
	}
	return nil
}

// Digest is the digest of the image's configuration, which container engines call the image ID. It identifies the content of the
// image.
func Digest(binary string) (string, error) {
	img, err := Build(binary)
	if err != nil {
		return "", err
	}
	digest, err := img.ConfigName()
	if err != nil {
		return "", fmt.Errorf("compute digest of the appliance image: %w", err)
	}
	return digest.String(), nil
}
