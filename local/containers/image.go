package containers

import (
	"context"
	"errors"
	"fmt"
	"strings"
)

// ImageID is the digest by which the engine knows an image; the error is an ErrNotFound if it does not have the image.
func (e *Engine) ImageID(ctx context.Context, image string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	out, err := e.run(ctx, nil, "image", "inspect", "--format", "{{.Id}}", image)
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

// ImageExists tells whether the engine has an image.
func (e *Engine) ImageExists(ctx context.Context, image string) (bool, error) {
	_, err := e.ImageID(ctx, image)
	if errors.Is(err, ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// Pull fetches an image from its registry.
func (e *Engine) Pull(ctx context.Context, image string) error {
	ctx, cancel := context.WithTimeout(ctx, transferTimeout)
	defer cancel()
	if _, err := e.run(ctx, nil, "pull", "--quiet", image); err != nil {
		return fmt.Errorf("pull image %s: %w", image, err)
	}
	return nil
}
