// Package ocichart pulls Helm charts from registries. It does not know what is in them.
package ocichart

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/remote"

	corev1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1"
)

const (
	// mediaType is the media type of the layer that holds the archive of a chart.
	mediaType = "application/vnd.cncf.helm.chart.content.v1.tar+gzip"
	// largest bounds the size of an archive. Charts of extensions have some ten KiB, and Secrets hold one MiB.
	largest = 20 << 20
	// kept bounds how many archives a puller remembers.
	kept = 32
	// patience bounds the time of a pull.
	patience = time.Minute
)

// Access is how to reach a registry. The zero value means: anonymously, by certificates that the system trusts.
type Access struct {
	// PullSecret is the content of a Secret of type kubernetes.io/dockerconfigjson.
	PullSecret []byte
	// CABundle has the certificates that sign that of the registry, as PEM.
	CABundle []byte
}

// Puller pulls charts. It remembers archives by their digest. All methods are safe for concurrent use.
type Puller struct {
	// Patience bounds the time of a pull. The default is a minute.
	Patience time.Duration

	mutex    sync.Mutex
	archives map[string][]byte // by repository and digest
}

// Pull returns the archive of a chart. It asks the registry for the digest of a tag each time. A digest needs no
// registry once its archive is known, since it always means the same content.
func (p *Puller) Pull(ctx context.Context, repository *corev1.OCIRepository, access Access) ([]byte, error) {
	reference, err := Reference(repository)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, cmp.Or(p.Patience, patience))
	defer cancel()
	options, err := access.options(ctx, reference)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", reference, err)
	}
	digest, err := resolve(reference, options)
	if err != nil {
		return nil, fmt.Errorf("find chart %s: %w", reference, err)
	}
	if archive := p.known(digest); archive != nil {
		return archive, nil
	}
	archive, err := fetch(digest, options)
	if err != nil {
		return nil, fmt.Errorf("pull chart %s: %w", reference, err)
	}
	p.remember(digest, archive)
	return archive, nil
}

// Reference names the chart in its registry. A digest takes precedence over a tag.
func Reference(repository *corev1.OCIRepository) (name.Reference, error) {
	text := value(repository.Ref)
	if text == "" {
		text = value(repository.Repository)
		switch {
		case value(repository.Digest) != "":
			text += "@" + *repository.Digest
		case value(repository.Tag) != "":
			text += ":" + *repository.Tag
		}
	}
	text = strings.TrimPrefix(text, "oci://")
	reference, err := name.ParseReference(text)
	if err != nil {
		return nil, fmt.Errorf("reference %q of chart: %w", text, err)
	}
	return reference, nil
}

func value(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}

func resolve(reference name.Reference, options []remote.Option) (name.Digest, error) {
	if digest, is := reference.(name.Digest); is {
		return digest, nil
	}
	found, err := remote.Head(reference, options...)
	if err != nil {
		return name.Digest{}, err
	}
	return reference.Context().Digest(found.Digest.String()), nil
}

// fetch reads the layer with the archive. The library verifies digests of manifest and layer.
func fetch(digest name.Digest, options []remote.Option) ([]byte, error) {
	image, err := remote.Image(digest, options...)
	if err != nil {
		return nil, err
	}
	layers, err := image.Layers()
	if err != nil {
		return nil, err
	}
	for _, layer := range layers {
		if kind, err := layer.MediaType(); err != nil || string(kind) != mediaType {
			continue
		}
		return read(layer)
	}
	return nil, fmt.Errorf("the artifact is no chart: it has no layer of type %s", mediaType)
}

func read(layer v1.Layer) ([]byte, error) {
	content, err := layer.Compressed()
	if err != nil {
		return nil, err
	}
	defer content.Close()
	archive, err := io.ReadAll(io.LimitReader(content, largest+1))
	if err != nil {
		return nil, err
	}
	if len(archive) > largest {
		return nil, fmt.Errorf("the chart has more than %d bytes", largest)
	}
	return archive, nil
}

func (p *Puller) known(digest name.Digest) []byte {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	return p.archives[digest.String()]
}

func (p *Puller) remember(digest name.Digest, archive []byte) {
	p.mutex.Lock()
	defer p.mutex.Unlock()
	if p.archives == nil || len(p.archives) >= kept {
		p.archives = map[string][]byte{}
	}
	p.archives[digest.String()] = archive
}

func (a Access) options(ctx context.Context, reference name.Reference) ([]remote.Option, error) {
	options := []remote.Option{remote.WithContext(ctx), remote.WithUserAgent("gardenlet")}
	if len(a.PullSecret) == 0 && len(a.CABundle) == 0 {
		return options, nil
	}
	if len(a.PullSecret) > 0 {
		authenticator, err := authenticator(a.PullSecret, reference.Context())
		if err != nil {
			return nil, err
		}
		options = append(options, remote.WithAuth(authenticator))
	}
	transport := remote.DefaultTransport
	if len(a.CABundle) > 0 {
		roots := x509.NewCertPool()
		if !roots.AppendCertsFromPEM(a.CABundle) {
			return nil, errors.New("the bundle of certificates has no certificate")
		}
		own := http.DefaultTransport.(*http.Transport).Clone()
		own.DisableKeepAlives = true // a transport for one pull leaves no connections behind
		own.TLSClientConfig = &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}
		transport = own
	}
	return append(options, remote.WithTransport(encrypted{transport})), nil
}

// encrypted refuses requests without TLS. The library tries plain HTTP for registries with private addresses, too, and
// follows redirects and token servers anywhere.
type encrypted struct{ http.RoundTripper }

func (e encrypted) RoundTrip(request *http.Request) (*http.Response, error) {
	if request.URL.Scheme != "https" {
		return nil, fmt.Errorf("the pull secret and the certificates need https, but %s is asked by %s", request.URL.Host, request.URL.Scheme)
	}
	return e.RoundTripper.RoundTrip(request)
}

// authenticator picks the credentials for the repository, or for its registry.
func authenticator(pullSecret []byte, repository name.Repository) (authn.Authenticator, error) {
	var config struct {
		Auths map[string]authn.AuthConfig `json:"auths"`
	}
	if err := json.Unmarshal(pullSecret, &config); err != nil {
		return nil, errors.New("the pull secret is no valid Docker configuration") // the error might quote the secret
	}
	for _, key := range []string{repository.Name(), repository.RegistryStr(), "https://" + repository.RegistryStr()} {
		if found, is := config.Auths[key]; is {
			return authn.FromConfig(found), nil
		}
	}
	return nil, fmt.Errorf("the pull secret has no credentials for %s", repository.RegistryStr())
}
