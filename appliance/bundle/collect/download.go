package collect

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	"github.com/gardener-up/gardener-up/embedded/atomicfile"
)

// source is a repository of a registry.
type source struct {
	repository name.Repository
	options    []remote.Option
	client     *http.Client
	blobs      blobs
	tell       func(string)
}

// attempts bounds how often a download is begun or continued.
const attempts = 3

// download gets a blob. What an interrupted download has got is kept, and the next one continues behind it.
func (s *source) download(ctx context.Context, wanted v1.Descriptor) error {
	if err := supported(wanted.Digest); err != nil || s.blobs.has(wanted.Digest, wanted.Size) {
		return err
	}
	part := s.blobs.path(wanted.Digest) + ".part"
	var err error
	for range attempts {
		if err = s.goOn(ctx, wanted, part); err == nil {
			if err = check(part, wanted); err == nil {
				return atomicfile.Move(part, s.blobs.path(wanted.Digest))
			}
			_ = os.Remove(part) // what was there before was something else
		}
		if ctx.Err() != nil {
			break
		}
	}
	return fmt.Errorf("download %s: %w", wanted.Digest, err)
}

// goOn requests what is missing of the file, and appends it.
func (s *source) goOn(ctx context.Context, wanted v1.Descriptor, part string) (err error) {
	file, err := os.OpenFile(part, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	have := info.Size()
	if have == wanted.Size {
		return nil
	}
	if have > wanted.Size {
		have = 0
	}
	address := url.URL{
		Scheme: s.repository.Scheme(), Host: s.repository.RegistryStr(),
		Path: fmt.Sprintf("/v2/%s/blobs/%s", s.repository.RepositoryStr(), wanted.Digest),
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address.String(), nil)
	if err != nil {
		return err
	}
	if have > 0 {
		request.Header.Set("Range", fmt.Sprintf("bytes=%d-%d", have, wanted.Size-1))
	}
	response, err := s.client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	switch {
	case response.StatusCode == http.StatusPartialContent && have > 0:
		s.tell(fmt.Sprintf("go on with %s after %d of %d bytes", wanted.Digest, have, wanted.Size))
	case response.StatusCode == http.StatusOK:
		have = 0
	default:
		return fmt.Errorf("the registry answers %s", response.Status)
	}
	if err := file.Truncate(have); err != nil {
		return err
	}
	n, err := io.Copy(file, io.LimitReader(response.Body, wanted.Size-have+1))
	if err == nil && have+n != wanted.Size {
		err = fmt.Errorf("the registry sent %d bytes instead of %d", have+n, wanted.Size)
	}
	return err
}

func check(path string, wanted v1.Descriptor) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer func() { _ = file.Close() }()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err
	}
	if got := hex.EncodeToString(sum.Sum(nil)); got != wanted.Digest.Hex {
		return fmt.Errorf("the registry sent content with the digest sha256:%s", got)
	}
	return nil
}

// manifest downloads a manifest and everything that it names. It returns the descriptor of the configuration.
func (s *source) manifest(ctx context.Context, descriptor v1.Descriptor) (config v1.Descriptor, err error) {
	if descriptor.MediaType.IsIndex() {
		return config, errors.New("an index within an index is not supported")
	}
	found, err := remote.Get(s.repository.Digest(descriptor.Digest.String()), s.options...)
	if err != nil {
		return config, err
	}
	if _, err := s.blobs.put(found.Manifest); err != nil {
		return config, err
	}
	var manifest v1.Manifest
	if err := json.Unmarshal(found.Manifest, &manifest); err != nil {
		return config, fmt.Errorf("read manifest: %w", err)
	}
	for _, part := range append(manifest.Layers, manifest.Config) {
		if err := s.download(ctx, part); err != nil {
			return config, err
		}
	}
	return manifest.Config, nil
}
