package images

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/google/go-containerregistry/pkg/authn"
	criapi "k8s.io/cri-api/pkg/apis"
	cri "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/gardener-up/gardener-up/embedded/imagestore"
)

// Config is the input of New.
type Config struct {
	Store *imagestore.Store
	// Cluster names the cluster of the node: only its nodes know the images that it pulls.
	Cluster string
	// Real reports whether containers of the image really run in a pod with these annotations, so that the image has to be in the
	// store. Nil means that all do.
	Real func(image string, annotations map[string]string) bool
	// SimulateMissing makes an image that cannot be pulled count as present. The image then has an ID that Missing knows.
	SimulateMissing bool

	// Keychain has the credentials for images for which the pod has none. Nil means none.
	Keychain authn.Keychain
	// Transport decides which addresses are dialled to pull images.
	Transport http.RoundTripper
	// Mirrors returns the registries to ask before the registry of that name. Nil means none.
	Mirrors func(registry string) []string
}

// Service implements the CRI image service.
type Service struct{ config Config }

var _ criapi.ImageManagerService = (*Service)(nil)

// New returns the service. It does nothing by itself.
func New(config Config) *Service { return &Service{config: config} }

// PullImage asks the registry for an image, and returns its ID. The error is that of the registry.
func (s *Service) PullImage(ctx context.Context, spec *cri.ImageSpec, auth *cri.AuthConfig, pod *cri.PodSandboxConfig) (string, error) {
	if !s.real(spec.GetImage(), pod.GetAnnotations()) {
		return spec.GetImage(), nil
	}
	image, err := s.config.Store.Pull(ctx, spec.GetImage(), imagestore.Pull{
		Cluster: s.config.Cluster, Credentials: credentials(auth), Keychain: s.config.Keychain,
		Transport: s.config.Transport, Mirrors: s.config.Mirrors,
	})
	if err == nil {
		return image.ID.String(), nil
	}
	if loaded, found := s.loaded(spec.GetImage()); found { // a site without network, with a pull policy of Always
		return loaded, nil
	}
	if s.config.SimulateMissing && ctx.Err() == nil {
		return missing(spec.GetImage(), err), nil
	}
	return "", err
}

// loaded returns the ID of an image that an operator loaded.
func (s *Service) loaded(image string) (string, bool) {
	found, err := s.config.Store.Get("", image)
	if err != nil {
		return "", false
	}
	return found.ID.String(), true
}

// ImageStatus describes an image. The description is empty, without an error, if the image has to be pulled.
func (s *Service) ImageStatus(_ context.Context, spec *cri.ImageSpec, _ bool) (*cri.ImageStatusResponse, error) {
	if _, isMissing := Missing(spec.GetImage()); isMissing || !s.real(spec.GetImage(), spec.GetAnnotations()) {
		return &cri.ImageStatusResponse{Image: placeholder(spec)}, nil
	}
	image, err := s.config.Store.Get(s.config.Cluster, spec.GetImage())
	if errors.Is(err, imagestore.ErrNotFound) {
		return &cri.ImageStatusResponse{}, nil
	}
	if err != nil {
		return nil, err
	}
	described, err := s.describe(image.Record)
	if err != nil {
		return nil, err
	}
	described.Spec = spec
	return &cri.ImageStatusResponse{Image: described}, nil
}

// ListImages returns the images that the cluster pulled or an operator loaded. The latter are pinned: the kubelet does not
// remove them.
func (s *Service) ListImages(_ context.Context, filter *cri.ImageFilter) ([]*cri.Image, error) {
	records, err := s.config.Store.List(s.config.Cluster)
	if err != nil {
		return nil, err
	}
	var all []*cri.Image
	byID := map[string]*cri.Image{}
	for _, record := range records {
		if seen := byID[record.ID.String()]; seen != nil {
			addNames(seen, record)
			continue
		}
		image, err := s.describe(record)
		if errors.Is(err, imagestore.ErrNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		byID[record.ID.String()] = image
		all = append(all, image)
	}
	return matching(all, filter.GetImage().GetImage()), nil
}

// RemoveImage removes an image from the images that the cluster knows. It is no error if the image does not exist.
func (s *Service) RemoveImage(_ context.Context, spec *cri.ImageSpec) error {
	err := s.config.Store.Remove(s.config.Cluster, spec.GetImage())
	if errors.Is(err, imagestore.ErrNotFound) {
		return nil
	}
	return err
}

// Close has nothing to do.
func (s *Service) Close(context.Context) error { return nil }

func (s *Service) real(image string, annotations map[string]string) bool {
	return s.config.Real == nil || s.config.Real(image, annotations)
}

// credentials are those of the pod; nil if it has none for the registry.
func credentials(auth *cri.AuthConfig) authn.Authenticator {
	if auth == nil {
		return nil
	}
	return authn.FromConfig(authn.AuthConfig{
		Username: auth.GetUsername(), Password: auth.GetPassword(), Auth: auth.GetAuth(),
		IdentityToken: auth.GetIdentityToken(), RegistryToken: auth.GetRegistryToken(),
	})
}

// describe reads an image's user, which the kubelet needs for runAsNonRoot.
func (s *Service) describe(record imagestore.Record) (*cri.Image, error) {
	image, err := s.config.Store.Get(s.config.Cluster, record.ID.String())
	if err != nil {
		return nil, fmt.Errorf("describe image: %w", err)
	}
	described := &cri.Image{Id: record.ID.String(), Size: uint64(max(record.Size, 0)), Pinned: record.Loaded}
	addNames(described, record)
	setUser(described, image.Config.User)
	return described, nil
}
