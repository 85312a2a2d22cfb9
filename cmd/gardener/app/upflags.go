package app

import (
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/neighbours"
)

// upFlags are the settings of up and run that override the configuration file.
type upFlags struct {
	port      int32
	seed      string
	provider  string
	nodeImage string
	bundle    string
	bundleKey string
	timeout   time.Duration
	// replace are seeds on kind whose clusters may be made once more.
	replace []string
	// resume refuses to make a new landscape.
	resume bool
	// stayPaused leaves a landscape that is paused as it is.
	stayPaused bool
}

func (u *upFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.Int32Var(&u.port, "port", 0, fmt.Sprintf("port of the front door; with 0 the system chooses a free port at the first start (default: that of the existing landscape, or the first free of %d, %d, …)",
		config.DefaultFrontDoorPort, config.DefaultFrontDoorPort+neighbours.PortStep))
	f.StringVar(&u.seed, "seed", "", `name of the seed (default "local")`)
	addProvider(cmd, &u.provider, `provider of the nodes of seed and shoots: "embedded" (processes) or "kind" (containers) (default: that of the existing landscape, or "embedded")`)
	f.StringVar(&u.nodeImage, "node-image", "", `node image, only for provider kind (default "`+config.DefaultNodeImage+`")`)
	f.StringVar(&u.bundle, "bundle", "", `bundle whose images are loaded before containers need them, see "gardener bundle create"`)
	f.StringVar(&u.bundleKey, "bundle-key", "", "file with the public key of whoever made the bundle")
	_ = cmd.MarkFlagFilename("bundle")
	_ = cmd.MarkFlagFilename("bundle-key")
	f.DurationVar(&u.timeout, "timeout", 0, "how long to wait until the landscape is ready (default 5m, 15m for provider kind)")
}

func (u *upFlags) override(cmd *cobra.Command) func(*config.Landscape) {
	return func(l *config.Landscape) {
		if cmd.Flags().Changed("port") {
			l.FrontDoor.Port = &u.port
		}
		if u.seed != "" {
			l.Seed.Name = u.seed
		}
		if u.provider != "" {
			l.Seed.Provider = u.provider
		}
		if u.nodeImage != "" {
			l.Seed.NodeImage = u.nodeImage
		}
		if u.bundle != "" {
			l.Bundle.File = absolute(u.bundle)
		}
		if u.bundleKey != "" {
			l.Bundle.KeyFile = absolute(u.bundleKey)
		}
	}
}
