// Package image names the appliance image: the container image that holds this binary. A node that runs processes starts the
// containers of this image as this binary; every other node needs the image itself. The package neither builds nor loads the image.
package image

import (
	"regexp"
	"strings"
)

// Repository is the name of the appliance image without a tag. It is no real registry, so that nothing pulls it.
const Repository = "gardener.local/gardener"

// Version is the version of this binary and the tag of its image. It is set when the binary is linked:
// -ldflags "-X github.com/gardener-up/gardener-up/embedded/image.Version=v1.0.0".
var Version = "dev"

// Variable is the environment variable with the name of the image in a registry, for processes that have no configuration.
const Variable = "GARDENER_IMAGE"

// Named returns the reference of the image of this binary, repository:tag. registry is the name of the image in a registry; if it is
// empty, the usual name is used.
func Named(registry string) string {
	if registry != "" {
		return registry
	}
	return Repository + ":" + Version
}

// Tag returns the version in the usual name of the appliance image. ok is false for other names, and for names without a
// version.
func Tag(image string) (tag string, ok bool) {
	rest, ok := strings.CutPrefix(image, Repository+":")
	tag, _, _ = strings.Cut(rest, "@")
	return tag, ok && wellFormed.MatchString(tag)
}

// wellFormed are the tags that the distribution of images allows. They are also good names of directories.
var wellFormed = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$`)

// Is reports whether an image is the appliance image: it has the reference, or the usual name in any version, with or without a
// digest.
func Is(image, reference string) bool {
	if reference != "" && image == reference {
		return true
	}
	rest, ok := strings.CutPrefix(image, Repository)
	return ok && (rest == "" || rest[0] == ':' || rest[0] == '@')
}
