package main

import (
	"io"
	"io/fs"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/local/applianceimage"
)

// writeImage writes the container image for all architectures, as an OCI image layout in an archive.
func (r *release) writeImage(programs []program, temporary string) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, p := range programs {
		img, err := applianceimage.Program{Binary: p.Path, Architecture: p.Architecture, Version: r.Version}.Image()
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: p.Architecture}},
		})
	}
	name := image.Repository + ":" + r.Version
	named := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{
		Add: index, Descriptor: v1.Descriptor{Annotations: map[string]string{"io.containerd.image.name": name, "org.opencontainers.image.ref.name": r.Version}},
	})
	dir := filepath.Join(temporary, "image")
	if _, err := layout.Write(dir, named); err != nil {
		return err
	}
	var entries []entry
	err := filepath.WalkDir(dir, func(path string, found fs.DirEntry, err error) error {
		if err != nil || found.IsDir() {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		entries = append(entries, entry{Name: filepath.ToSlash(relative), Source: path, Mode: 0o644})
		return err
	})
	if err != nil {
		return err
	}
	return create(r.file(r.Name+"-"+r.Version+"-image.tar"), func(w io.Writer) error { return writeTar(w, entries, r.Time) })
}
