package imagestore

import (
	"context"
	"fmt"
	"net/http"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// Pull says how to reach the registry of an image.
type Pull struct {
	// Cluster is the only cluster that knows the image afterwards. It is required.
	Cluster string
	// Credentials are those of the user who wants the image. Nil means anonymous.
	Credentials authn.Authenticator
	// Keychain is asked for credentials of the registry if Credentials is nil. It may be nil.
	Keychain authn.Keychain
	// Transport decides which addresses are dialled. Nil means http.DefaultTransport.
	Transport http.RoundTripper
	// Mirrors returns registries (host, optionally with port) to ask before the registry of a name. It may be nil.
	Mirrors func(registry string) []string
}

// Pull asks the registry for an image and stores missing content. The registry decides each time whether the credentials suffice,
// even if the content is already in the store.
func (s *Store) Pull(ctx context.Context, reference string, how Pull) (Image, error) {
	if how.Cluster == "" {
		return Image{}, fmt.Errorf("pull image %s: no cluster named", reference)
	}
	full, err := Parse(reference)
	if err != nil {
		return Image{}, err
	}
	image, err := how.fetch(ctx, full)
	if err != nil {
		return Image{}, fmt.Errorf("pull image %s: %w", full, err)
	}
	if _, err := s.add(image, how.Cluster, []Reference{full}); err != nil {
		return Image{}, fmt.Errorf("pull image %s: %w", full, err)
	}
	return s.Get(how.Cluster, string(full))
}

// fetch resolves the reference at the mirrors, then at the registry itself. The error is that of the registry.
func (p Pull) fetch(ctx context.Context, reference Reference) (v1.Image, error) {
	parsed, err := name.ParseReference(string(reference))
	if err != nil {
		return nil, err
	}
	if p.Mirrors != nil {
		for _, mirror := range p.Mirrors(parsed.Context().RegistryStr()) {
			if at, err := relocate(parsed, mirror); err == nil {
				if image, err := p.image(ctx, at, nil); err == nil {
					return image, nil
				}
			}
		}
	}
	return p.image(ctx, parsed, p.Credentials)
}

func (p Pull) image(ctx context.Context, reference name.Reference, credentials authn.Authenticator) (v1.Image, error) {
	options := []remote.Option{remote.WithContext(ctx), remote.WithPlatform(platform()), remote.WithUserAgent("gardener")}
	switch {
	case credentials != nil:
		options = append(options, remote.WithAuth(credentials))
	case p.Keychain != nil:
		options = append(options, remote.WithAuthFromKeychain(p.Keychain))
	}
	if p.Transport != nil {
		options = append(options, remote.WithTransport(p.Transport))
	}
	return remote.Image(reference, options...)
}

// relocate names the same image in another registry.
func relocate(reference name.Reference, registry string) (name.Reference, error) {
	repository := registry + "/" + reference.Context().RepositoryStr()
	if digest, ok := reference.(name.Digest); ok {
		return name.NewDigest(repository + "@" + digest.DigestStr())
	}
	return name.NewTag(repository + ":" + reference.Identifier())
}
