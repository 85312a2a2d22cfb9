package imagestore

import (
	"fmt"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
)

// Annotations with the name of an image in an index: that of containerd, and that of the OCI image specification, which
// some tools fill with a tag only.
const (
	containerdName = "io.containerd.image.name"
	ociName        = "org.opencontainers.image.ref.name"
)

// layoutImages reads a directory in the OCI image layout. Of an image for several platforms it takes that of the given one.
func layoutImages(dir string, wanted v1.Platform) ([]Archived, error) {
	index, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		return nil, fmt.Errorf("read OCI image layout: %w", err)
	}
	manifest, err := index.IndexManifest()
	if err != nil {
		return nil, fmt.Errorf("read OCI image layout: %w", err)
	}
	var images []Archived
	for _, descriptor := range manifest.Manifests {
		image, err := imageOf(index, descriptor, wanted)
		if err != nil {
			return nil, fmt.Errorf("read OCI image layout: %w", err)
		}
		if image == nil {
			continue
		}
		images = append(images, Archived{Image: image, Names: namesOf(descriptor)})
	}
	return images, nil
}

// imageOf returns nil for content that is no image, such as an attestation.
func imageOf(index v1.ImageIndex, descriptor v1.Descriptor, wanted v1.Platform) (v1.Image, error) {
	switch {
	case descriptor.MediaType.IsImage():
		return index.Image(descriptor.Digest)
	case !descriptor.MediaType.IsIndex():
		return nil, nil
	}
	nested, err := index.ImageIndex(descriptor.Digest)
	if err != nil {
		return nil, err
	}
	manifest, err := nested.IndexManifest()
	if err != nil {
		return nil, err
	}
	for _, candidate := range manifest.Manifests {
		if candidate.Platform != nil && candidate.Platform.Satisfies(wanted) {
			return nested.Image(candidate.Digest)
		}
	}
	return nil, fmt.Errorf("image %s is not for %s", descriptor.Digest, wanted)
}

func namesOf(descriptor v1.Descriptor) []Reference {
	for _, text := range []string{descriptor.Annotations[containerdName], descriptor.Annotations[ociName]} {
		if !strings.ContainsAny(text, "/:") {
			continue
		}
		if reference, err := Parse(text); err == nil {
			return []Reference{reference}
		}
	}
	return nil
}
