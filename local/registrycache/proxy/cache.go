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
	// fetchTimeout bounds fetching a blob. A blob is fetched completely even if its client is gone.
	fetchTimeout = 30 * time.Minute
	askTimeout   = 30 * time.Second
)

// Cache is a pull-through cache of one registry. It is an http.Handler for the distribution API.
type Cache struct {
	// Upstream is the registry that is cached.
	Upstream name.Registry
	// Auth authenticates to the registry.
	Auth authn.Authenticator
	// Dir is the absolute directory of the cached files.
	Dir string
	// TTL is how long a file is kept after it was fetched; 0 keeps it for ever.
	TTL   time.Duration
	Clock clock.Clock
	Log   logr.Logger

	fetching singleflight.Group
}

// errUnknown is the error for content that the registry does not have.
var errUnknown = errors.New("not known to the registry")

func (c *Cache) store() store { return store{dir: c.Dir} }

func (c *Cache) options(ctx context.Context) []remote.Option {
	return []remote.Option{remote.WithContext(ctx), remote.WithAuth(c.Auth)}
}

// manifest returns the manifest of a tag or a digest, and its digest.
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
		err = fmt.Errorf("manifest %s was removed in the meantime", digest)
	}
	return found, digest, err
}

// resolve asks the registry for the digest of a tag. If the registry does not answer, the last known digest is used.
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
		c.Log.Info("Served a cached tag because the registry does not answer", "repository", repository.RepositoryStr(), "tag", tag, "reason", err.Error())
		return last, nil
	}
	return v1.Hash{}, fmt.Errorf("resolve tag %s: %w", tag, err)
}

// blob opens a blob, and fetches it first if necessary.
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
		err = fmt.Errorf("blob %s was removed in the meantime", digest)
	}
	return file, err
}

// once makes clients that want the same content wait for a single call, and reports whether this client made it.
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

// translate turns the registry's not-found errors into errUnknown.
func translate(err error) error {
	var answer *transport.Error
	if errors.As(err, &answer) && answer.StatusCode == http.StatusNotFound {
		return errors.Join(errUnknown, err)
	}
	return err
}

// Sweep removes expired files until ctx ends.
func (c *Cache) Sweep(ctx context.Context) {
	if c.TTL <= 0 {
		return
	}
	for ctx.Err() == nil {
		if removed, err := c.store().sweep(c.Clock.Now().Add(-c.TTL)); err != nil {
			c.Log.Error(err, "Could not remove expired files")
		} else if removed > 0 {
			c.Log.Info("Removed what is too old", "files", removed)
		}
		select {
		case <-ctx.Done():
		case <-c.Clock.After(min(max(c.TTL/4, time.Second), time.Hour)):
		}
	}
}
