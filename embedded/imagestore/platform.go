package imagestore

import (
	"fmt"
	"runtime"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// platform is that of this machine. Containers run Linux.
func platform() v1.Platform { return v1.Platform{OS: "linux", Architecture: runtime.GOARCH} }

// runsHere checks the platform of an image that was not chosen by platform.
func runsHere(image v1.Image) error {
	file, err := image.ConfigFile()
	if err != nil {
		return fmt.Errorf("read configuration: %w", err)
	}
	if got := file.Platform(); got != nil && !got.Satisfies(platform()) {
		return fmt.Errorf("image is for %s, this machine is %s", got, platform())
	}
	return nil
}
