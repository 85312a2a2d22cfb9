// Package push copies the content of a bundle to a registry of the site.
package push

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/gardener-up/gardener-up/appliance/bundle"
)

// Target is a registry, optionally with a path below which everything is.
type Target struct {
	Place string
	// Keychain has credentials for the registry. Nil means none.
	Keychain authn.Keychain
	// Transport reaches the registry. Nil means the usual one.
	Transport http.RoundTripper
}

// Name is the name of a content at the target: that of the bundle, with the target in place of its registry. So the registry serves as a mirror.
func (t Target) Name(content bundle.Content) (name.Reference, error) {
	old, err := name.ParseReference(content.Name)
	if err != nil {
		return nil, fmt.Errorf("name %q: %w", content.Name, err)
	}
	repository, err := name.NewRepository(strings.TrimSuffix(t.Place, "/")+"/"+old.Context().RepositoryStr(), name.StrictValidation)
	if err != nil {
		return nil, fmt.Errorf("%q is no registry: %w", t.Place, err)
	}
	if digest, is := old.(name.Digest); is {
		return repository.Digest(digest.DigestStr()), nil
	}
	return repository.Tag(old.Identifier()), nil
}

// All pushes everything and tells the new name of each content. What the registry has is not sent again, so that an interrupted push goes on
// where it stopped. Nothing is pushed if two contents would get one name.
func All(ctx context.Context, from *bundle.Bundle, to Target, tell func(string)) error {
	names := map[string]string{}
	for _, content := range from.List.Contents {
		reference, err := to.Name(content)
		if err != nil {
			return err
		}
		if other, taken := names[reference.Name()]; taken {
			return fmt.Errorf("%s and %s would both be %s", other, content.Name, reference.Name())
		}
		names[reference.Name()] = content.Name
	}
	options := []remote.Option{remote.WithContext(ctx), remote.WithUserAgent("gardener")}
	if to.Keychain != nil {
		options = append(options, remote.WithAuthFromKeychain(to.Keychain))
	}
	if to.Transport != nil {
		options = append(options, remote.WithTransport(to.Transport))
	}
	for _, content := range from.List.Contents {
		reference, err := to.Name(content)
		if err != nil {
			return err
		}
		if err := one(from, content, reference, options); err != nil {
			return fmt.Errorf("push %s: %w", content.Name, err)
		}
		tell(reference.Name())
	}
	return nil
}

func one(from *bundle.Bundle, content bundle.Content, to name.Reference, options []remote.Option) error {
	top, err := from.Top(content)
	if err != nil {
		return err
	}
	switch top := top.(type) {
	case v1.ImageIndex:
		return remote.WriteIndex(to, top, options...)
	case v1.Image:
		return remote.Write(to, top, options...)
	}
	return fmt.Errorf("it is a %T", top)
}
