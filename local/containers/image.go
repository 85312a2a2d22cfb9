package containers

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Images are the images of an engine.
type Images struct{ client }

// ID is the engine's digest of an image. The error is an ErrNotFound if the engine does not have the image.
func (i Images) ID(ctx context.Context, image string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err := i.run(ctx, nil, "image", "inspect", "--format", "{{.Id}}", image)
	if missing(err) {
		return "", fmt.Errorf("image %s: %w", image, ErrNotFound)
	}
	if err != nil {
		return "", fmt.Errorf("inspect image %s: %w", image, err)
	}
	id := strings.TrimSpace(string(out))
	if id == "" {
		return "", fmt.Errorf("image %s: %w", image, ErrNotFound)
	}
	return id, nil
}

// Exists reports whether the engine has an image.
func (i Images) Exists(ctx context.Context, image string) (bool, error) {
	_, err := i.ID(ctx, image)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Pull downloads an image from its registry.
func (i Images) Pull(ctx context.Context, image string) error {
	ctx, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	if i.name == Podman { // which may be told to look nowhere for names without a registry
		image = qualified(image)
	}
	if _, err := i.run(ctx, nil, "pull", "--quiet", image); err != nil {
		return fmt.Errorf("pull image %s: %w", image, err)
	}
	return nil
}

// KindName is the name under which the kind library finds an existing image. With podman the library looks for
// docker.io/… if the name has no registry, but podman names images that came from a file localhost/….
func (i Images) KindName(ctx context.Context, image string) (string, error) {
	if i.name != Podman || strings.Contains(image, "@") {
		return image, nil
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err := i.run(ctx, nil, "image", "inspect", "--format", "{{range .RepoTags}}{{println .}}{{end}}", image)
	if missing(err) {
		return image, nil
	}
	if err != nil {
		return "", fmt.Errorf("inspect image %s: %w", image, err)
	}
	names := strings.Fields(string(out))
	if slices.Contains(names, qualified(image)) {
		return image, nil
	}
	for _, name := range names {
		if strings.HasSuffix(name, "/"+image) {
			return name, nil
		}
	}
	return image, nil
}

// qualified is the full name of an image on Docker Hub, unless the name contains another registry.
func qualified(image string) string {
	registry, _, found := strings.Cut(image, "/")
	switch {
	case !found:
		return "docker.io/library/" + image
	case strings.ContainsAny(registry, ".:") || registry == "localhost":
		return image
	}
	return "docker.io/" + image
}
