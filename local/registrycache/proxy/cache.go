package proxy

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"
	"github.com/google/go-containerregistry/pkg/v1/remote/transport"
	"golang.org/x/sync/singleflight"
	"k8s.io/utils/clock"
)

const (
	// fetchTimeout is how long a blob may take; it is fetched to its end though its client may be gone.
	fetchTimeout = 30 * time.Minute
	askTimeout   = 30 * time.Second
)

// Cache is a pull-through cache of one registry. It is an http.Handler for the distribution API.
type Cache struct {
	// Upstream is the registry that is cached.
	Upstream name.Registry
	// Auth is who asks there.
	Auth authn.Authenticator
	// Dir is the absolute directory for what is kept.
	Dir string
	// TTL is how long something is kept after it was fetched; for ever if it is 0.
	TTL   time.Duration
	Clock clock.Clock
	Log   logr.Logger

	fetching singleflight.Group
}

// errUnknown is what the registry says about what it does not have.
var errUnknown = errors.New("not known to the registry")

func (c *Cache) store() store { return store{dir: c.Dir} }

func (c *Cache) options(ctx context.Context) []remote.Option {
	return []remote.Option{remote.WithContext(ctx), remote.WithAuth(c.Auth)}
}

// manifest gives the manifest of a tag or a digest, and its digest.
func (c *Cache) manifest(ctx context.Context, repository name.Repository, reference string) (*manifest, v1.Hash, error) {
	digest, err := v1.NewHash(reference)
	if err != nil {
		if digest, err = c.resolve(ctx, repository, reference); err != nil {
			return nil, v1.Hash{}, err
		}
	}
	if found, err := c.store().manifest(digest); err != nil || found != nil {
		return found, digest, err
	}
	fetched, err := c.once(ctx, "manifest "+digest.String(), askTimeout, func(ctx context.Context) error {
		descriptor, err := remote.Get(repository.Digest(digest.String()), c.options(ctx)...)
		if err != nil {
			return translate(err)
		}
		return c.store().putManifest(digest, &manifest{mediaType: descriptor.MediaType, content: descriptor.Manifest})
	})
	if err != nil {
		return nil, digest, fmt.Errorf("fetch manifest %s: %w", digest, err)
	}
	if fetched {
		c.Log.Info("Fetched manifest", "repository", repository.RepositoryStr(), "digest", digest.String())
	}
	found, err := c.store().manifest(digest)
	if err == nil && found == nil {
		err = fmt.Errorf("manifest %s has been removed meanwhile", digest)
	}
	return found, digest, err
}

// resolve asks which digest a tag has; the last answer counts while nobody answers.
func (c *Cache) resolve(ctx context.Context, repository name.Repository, tag string) (v1.Hash, error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	descriptor, err := remote.Head(repository.Tag(tag), c.options(ctx)...)
	if err == nil {
		if err := c.store().putTag(repository.RepositoryStr(), tag, descriptor.Digest); err != nil {
			c.Log.Error(err, "Could not keep the digest of a tag", "repository", repository.RepositoryStr(), "tag", tag)
		}
		return descriptor.Digest, nil
	}
	err = translate(err)
	if last, known := c.store().tag(repository.RepositoryStr(), tag); known && !errors.Is(err, errUnknown) {
		c.Log.Info("Served a tag from memory, the registry does not answer", "repository", repository.RepositoryStr(), "tag", tag, "reason", err.Error())
		return last, nil
	}
	return v1.Hash{}, fmt.Errorf("resolve tag %s: %w", tag, err)
}

// blob opens a blob, which it fetches if need be.
func (c *Cache) blob(ctx context.Context, repository name.Repository, digest v1.Hash) (*os.File, error) {
	if file, err := c.store().blob(digest); err != nil || file != nil {
		return file, err
	}
	fetched, err := c.once(ctx, "blob "+digest.String(), fetchTimeout, func(ctx context.Context) error {
		layer, err := remote.Layer(repository.Digest(digest.String()), c.options(ctx)...)
		if err != nil {
			return translate(err)
		}
		content, err := layer.Compressed() // it checks the digest while it is read
		if err != nil {
			return translate(err)
		}
		return errors.Join(c.store().putBlob(digest, content), content.Close())
	})
	if err != nil {
		return nil, fmt.Errorf("fetch blob %s: %w", digest, err)
	}
	if fetched {
		c.Log.Info("Fetched blob", "repository", repository.RepositoryStr(), "digest", digest.String())
	}
	file, err := c.store().blob(digest)
	if err == nil && file == nil {
		err = fmt.Errorf("blob %s has been removed meanwhile", digest)
	}
	return file, err
}

// once has several clients that want the same wait for one call, and tells whether this was it.
func (c *Cache) once(ctx context.Context, key string, timeout time.Duration, fetch func(context.Context) error) (bool, error) {
	mine := false
	result := c.fetching.DoChan(key, func() (any, error) {
		mine = true
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), timeout)
		defer cancel()
		return nil, fetch(ctx)
	})
	select {
	case <-ctx.Done():
		return false, ctx.Err()
	case r := <-result:
		return mine, r.Err
	}
}

// translate finds out whether the registry knows the thing.
func translate(err error) error {
	var answer *transport.Error
	if errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound {
		return errors.Join(errUnknown, err)
	}
	return err
}

// Sweep removes what is too old, until ctx ends.
func (c *Cache) Sweep(ctx context.Context) {
	if c.TTL <= 0 {
		return
	}
	for ctx.Err() == nil {
		if removed, err := c.store().sweep(c.Clock.Now().Add(-c.TTL)); err != nil {
			c.Log.Error(err, "Could not remove what is too old")
		} else if removed > 0 {
			c.Log.Info("Removed what is too old", "files", removed)
		}
		select {
		case <-ctx.Done():
		case <-c.Clock.After(min(max(c.TTL/4, time.Second), time.Hour)):
		}
	}
}
