// Package image names the appliance image: the container image that holds this binary. A node that runs processes starts
// the containers of this image as this binary; every other node needs the image itself. It does not build or load it.
package image

import (
	"os"
	"strings"
)

// Repository is the name of the appliance image without a tag. It is no real registry, so that nothing pulls it.
const Repository = "gardener.local/gardener"

// Version is the version of this binary and the tag of its image. It is set when the binary is linked:
// -ldflags "-X github.com/gardener-up/gardener-up/embedded/image.Version=v1.0.0".
var Version = "dev"

// Variable of the environment has the name that Use was given, for the processes of pods that are this binary.
const Variable = "GARDENER_IMAGE"

// used is the name that a registry has the image by; empty if none has.
var used = os.Getenv(Variable)

// Use makes everything that this process deploys refer to the image by a name that a registry has it by, with a tag. It is
// for the start of the process, before anybody asks for the name.
func Use(reference string) { used = reference }

// Used is what Use was given.
func Used() string { return used }

// Reference returns the appliance image of this binary, repository:tag.
func Reference() string {
	if used != "" {
		return used
	}
	return Repository + ":" + Version
}

// Is reports whether a reference names the appliance image, of whatever version and with or without a digest.
func Is(image string) bool {
	if used != "" && image == used {
		return true
	}
	rest, ok := strings.CutPrefix(image, Repository)
	return ok && (rest == "" || rest[0] == ':' || rest[0] == '@')
}
