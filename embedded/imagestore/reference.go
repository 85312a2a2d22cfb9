package imagestore

import (
	"fmt"
	"strings"

	"github.com/google/go-containerregistry/pkg/name"
)

// Reference is the full name of an image, with registry and with tag or digest, as containerd writes it.
type Reference string

// Parse completes a reference as container engines do: nginx is docker.io/library/nginx:latest.
func Parse(reference string) (Reference, error) {
	parsed, err := name.ParseReference(reference)
	if err != nil {
		return "", fmt.Errorf("image reference %q: %w", reference, err)
	}
	return Reference(familiar(parsed.Name())), nil
}

// Digest reports whether the reference has a digest, which always refers to the same content, rather than a tag.
func (r Reference) Digest() bool { return strings.Contains(string(r), "@") }

// Repository is the reference without tag and digest.
func (r Reference) Repository() string {
	parsed, err := name.ParseReference(string(r))
	if err != nil {
		return string(r)
	}
	return familiar(parsed.Context().Name())
}

// familiar replaces the address of Docker's registry by the name that users know.
func familiar(reference string) string {
	if rest, ok := strings.CutPrefix(reference, name.DefaultRegistry+"/"); ok {
		return "docker.io/" + rest
	}
	return reference
}
