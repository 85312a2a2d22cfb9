package collect

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/types"

	"github.com/gardener-up/gardener-up/appliance/bundle"
)

func (c *collection) addImage(kind bundle.Kind, name string, img v1.Image) error {
	descriptor, err := c.blobs.image(img)
	if err != nil {
		return fmt.Errorf("image %s: %w", name, err)
	}
	return c.addManifest(kind, name, descriptor)
}

// addManifest adds what is complete. A second image of a name has to be for another architecture.
func (c *collection) addManifest(kind bundle.Kind, name string, descriptor v1.Descriptor) error {
	found := c.contents[name]
	if found == nil {
		found = &content{kind: kind}
		c.contents[name] = found
	}
	for _, other := range found.manifests {
		if other.Digest == descriptor.Digest {
			return nil
		}
		if other.Platform == nil || descriptor.Platform == nil || other.Platform.Equals(*descriptor.Platform) {
			return fmt.Errorf("two different contents have the name %s", name)
		}
	}
	found.manifests = append(found.manifests, descriptor)
	return nil
}

// list writes what is missing of the OCI image layout, and lists everything.
func (c *collection) list() (bundle.List, error) {
	l := bundle.List{Version: c.Version, Architectures: c.Architectures}
	sizes := map[v1.Hash]int64{}
	index := v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex}
	for _, name := range slices.Sorted(maps.Keys(c.contents)) {
		found := c.contents[name]
		top, err := c.top(name, found)
		if err != nil {
			return l, err
		}
		own, err := c.blobs.reachable(top)
		if err != nil {
			return l, fmt.Errorf("read %s: %w", name, err)
		}
		described := bundle.Content{Kind: found.kind, Name: name, Digest: top.Digest.String()}
		for digest, size := range own {
			sizes[digest], described.Size = size, described.Size+size
		}
		l.Contents = append(l.Contents, described)
		index.Manifests = append(index.Manifests, v1.Descriptor{
			MediaType: top.MediaType, Digest: top.Digest, Size: top.Size, Platform: top.Platform,
			Annotations: map[string]string{"io.containerd.image.name": name, "org.opencontainers.image.ref.name": name},
		})
	}
	text, err := json.Marshal(index)
	if err != nil {
		return l, err
	}
	for _, file := range []struct {
		path string
		text []byte
	}{{"oci-layout", []byte(`{"imageLayoutVersion":"1.0.0"}`)}, {"index.json", text}} {
		described, err := c.blobs.file(file.path, file.text)
		if err != nil {
			return l, err
		}
		l.Files = append(l.Files, described)
	}
	digests := make([]string, 0, len(sizes))
	for digest := range sizes {
		digests = append(digests, digest.Hex)
	}
	slices.Sort(digests)
	for _, digest := range digests {
		l.Files = append(l.Files, bundle.File{Path: "blobs/sha256/" + digest, SHA256: digest, Size: sizes[v1.Hash{Algorithm: "sha256", Hex: digest}]})
	}
	return l, nil
}

// file writes a file that is no blob.
func (b blobs) file(name string, text []byte) (bundle.File, error) {
	digest, err := b.put(text)
	if err != nil {
		return bundle.File{}, err
	}
	return bundle.File{Path: name, SHA256: digest.Hex, Size: int64(len(text))}, os.WriteFile(b.dir+"/"+name, text, 0o600)
}

// top is the manifest or index by which the content is known.
func (c *collection) top(name string, found *content) (v1.Descriptor, error) {
	if found.kind == bundle.Chart {
		return found.manifests[0], nil
	}
	for _, architecture := range c.Architectures {
		if !slices.ContainsFunc(found.manifests, func(d v1.Descriptor) bool { return d.Platform.Architecture == architecture }) {
			return v1.Descriptor{}, fmt.Errorf("%s has no image for linux/%s", name, architecture)
		}
	}
	if found.index != nil {
		return *found.index, nil
	}
	if len(found.manifests) == 1 {
		return found.manifests[0], nil
	}
	slices.SortFunc(found.manifests, func(a, b v1.Descriptor) int { return strings.Compare(a.Platform.String(), b.Platform.String()) })
	raw, err := json.Marshal(v1.IndexManifest{SchemaVersion: 2, MediaType: types.OCIImageIndex, Manifests: found.manifests})
	if err != nil {
		return v1.Descriptor{}, err
	}
	digest, err := c.blobs.put(raw)
	return v1.Descriptor{MediaType: types.OCIImageIndex, Digest: digest, Size: int64(len(raw))}, err
}

// reachable returns the sizes of all contents that belong to a manifest or an index.
func (b blobs) reachable(top v1.Descriptor) (map[v1.Hash]int64, error) {
	sizes := map[v1.Hash]int64{top.Digest: top.Size}
	raw, err := os.ReadFile(b.path(top.Digest))
	if err != nil {
		return nil, err
	}
	var parts struct {
		Config    *v1.Descriptor  `json:"config"`
		Layers    []v1.Descriptor `json:"layers"`
		Manifests []v1.Descriptor `json:"manifests"`
	}
	if err := json.Unmarshal(raw, &parts); err != nil {
		return nil, err
	}
	if parts.Config != nil {
		sizes[parts.Config.Digest] = parts.Config.Size
	}
	for _, layer := range parts.Layers {
		sizes[layer.Digest] = layer.Size
	}
	for _, manifest := range parts.Manifests {
		below, err := b.reachable(manifest)
		if err != nil {
			return nil, err
		}
		for digest, size := range below {
			sizes[digest] = size
		}
	}
	return sizes, nil
}
