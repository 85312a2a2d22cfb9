// Package image names the appliance image: the container image that holds this binary. A node that runs processes starts
// the containers of this image as this binary; every other node needs the image itself. It does not build or load it.
package image

import "strings"

// Repository is the name of the appliance image without a tag. It is no real registry, so that nothing pulls it.
const Repository = "gardener.local/gardener"

// Version is the version of this binary and the tag of its image. It is set when the binary is linked:
// -ldflags "-X github.com/gardener-up/gardener-up/embedded/image.Version=v1.0.0".
var Version = "dev"

// Reference returns the appliance image of this binary, repository:tag.
func Reference() string {
	return Repository + ":" + Version
}

// Is tells whether a reference names the appliance image, of whatever version and with or without a digest.
func Is(image string) bool {
	rest, ok := strings.CutPrefix(image, Repository)
	return ok && (rest == "" || rest[0] == ':' || rest[0] == '@')
}
