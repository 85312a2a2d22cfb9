package collect

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
)

// fromRegistry adds an image or a chart. Without a kind, the content itself says what it is.
func (c *collection) fromRegistry(ctx context.Context, text string, kind bundle.Kind) error {
	full, err := imagestore.Parse(text)
	if err != nil {
		return err
	}
	reference, err := name.ParseReference(string(full))
	if err != nil {
		return err
	}
	s, err := c.open(ctx, reference.Context())
	if err != nil {
		return err
	}
	top, err := remote.Get(reference, s.options...)
	if err != nil {
		return err
	}
	_, byDigest := reference.(name.Digest)
	if top.MediaType.IsIndex() {
		return c.index(ctx, s, top, string(full), kind, byDigest)
	}
	config, err := s.manifest(ctx, top.Descriptor)
	if err != nil {
		return err
	}
	descriptor := v1.Descriptor{MediaType: top.MediaType, Digest: top.Digest, Size: top.Size}
	switch {
	case config.MediaType == chartConfig:
		return c.addManifest(bundle.Chart, string(full), descriptor)
	case !config.MediaType.IsConfig():
		return fmt.Errorf("%s is neither an image nor a chart", config.MediaType)
	}
	if descriptor.Platform, err = s.blobs.platform(config.Digest); err != nil {
		return err
	}
	return c.addManifest(cmp.Or(kind, bundle.Image), string(full), descriptor)
}

// index adds the images of an index for the architectures of the bundle. An index that is named by its digest is taken with all its images,
// since its digest would be another one otherwise.
func (c *collection) index(ctx context.Context, s *source, top *remote.Descriptor, full string, kind bundle.Kind, whole bool) error {
	index, err := v1.ParseIndexManifest(bytes.NewReader(top.Manifest))
	if err != nil {
		return err
	}
	complete := true
	for _, descriptor := range index.Manifests {
		wanted := c.wants(descriptor.Platform)
		if !wanted && !whole {
			complete = false
			continue
		}
		if _, err := s.manifest(ctx, descriptor); err != nil {
			return err
		}
		if !wanted {
			continue
		}
		if err := c.addManifest(cmp.Or(kind, bundle.Image), full, descriptor); err != nil {
			return err
		}
	}
	found := c.contents[full]
	if found == nil {
		return fmt.Errorf("it has no image for %v", c.Architectures)
	}
	if complete {
		digest, err := c.blobs.put(top.Manifest)
		if err != nil {
			return err
		}
		found.index = &v1.Descriptor{MediaType: top.MediaType, Digest: digest, Size: top.Size}
	}
	return nil
}

func (c *collection) wants(platform *v1.Platform) bool {
	if platform == nil || platform.OS != "linux" {
		return false
	}
	return slices.Contains(c.Architectures, platform.Architecture)
}

func (c *collection) open(ctx context.Context, repository name.Repository) (*source, error) {
	auth := authn.Anonymous
	if c.Keychain != nil {
		found, err := authn.Resolve(ctx, c.Keychain, repository)
		if err != nil {
			return nil, err
		}
		auth = found
	}
	base := c.Transport
	if base == nil {
		base = http.DefaultTransport
	}
	authenticated, err := transport.NewWithContext(ctx, repository.Registry, auth, base, []string{repository.Scope(transport.PullScope)})
	if err != nil {
		return nil, fmt.Errorf("reach the registry %s: %w", repository.RegistryStr(), err)
	}
	return &source{
		repository: repository, blobs: c.blobs, tell: c.Tell, client: &http.Client{Transport: authenticated},
		options: []remote.Option{remote.WithContext(ctx), remote.WithTransport(authenticated), remote.WithUserAgent("gardener")},
	}, nil
}
