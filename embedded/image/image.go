// Package image names the appliance image: the container image that holds this binary. A node that runs processes starts
// the containers of this image as this binary; every other node needs the image itself. It does not build or load it.
package image

import "strings"

// Repository is the name of the appliance image without a tag. It is no real registry, so that nothing pulls it.
const Repository = "gardener.local/gardener"

// Version is the version of this binary and the tag of its image. It is set when the binary is linked:
// -ldflags "-X github.com/gardener-up/gardener-up/embedded/image.Version=v1.0.0".
var Version = "dev"

// Variable of the environment is the name by which a registry has the image of a process that has no configuration.
const Variable = "GARDENER_IMAGE"

// Named returns the reference of the image of this binary, repository:tag: the name by which a registry has it, or the
// usual name if that is empty.
func Named(registry string) string {
	if registry != "" {
		return registry
	}
	return Repository + ":" + Version
}

// Is reports whether an image is the appliance image: the reference, or the usual name of whatever version and with or
// without a digest.
func Is(image, reference string) bool {
	if reference != "" && image == reference {
		return true
	}
	rest, ok := strings.CutPrefix(image, Repository)
	return ok && (rest == "" || rest[0] == ':' || rest[0] == '@')
}
