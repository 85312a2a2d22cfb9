package app

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/examples"
)

func newConfig(global *globalFlags) *cobra.Command {
	cmd := asGroup(&cobra.Command{
		Use: "config", GroupID: "landscape", Short: "Print the configuration of the landscape, or a file to begin with",
		Long: "Print the configuration of the landscape, or a file to begin with. docs/configuration.md explains all settings.",
		Example: `  gardener config template > landscape.yaml
  gardener up -f landscape.yaml
  gardener config view`,
	})
	cmd.AddCommand(newConfigView(global), newConfigTemplate())
	return cmd
}

func newConfigView(global *globalFlags) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "view", Short: "Print the complete configuration, with all defaults", Args: needsNone,
		Long: `Print the complete configuration: that of the running landscape, or else that with which "gardener up" would start it now. Nothing in it is
secret.`,
		Example: `  gardener config view
  gardener config view -o json`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := currentConfig(global)
			if err != nil {
				return err
			}
			return printAs(cmd.OutOrStdout(), output, cfg, nil)
		},
	}
	global.addFile(cmd)
	addOutputs(cmd, &output, "yaml", "json")
	return cmd
}

// currentConfig is the configuration of the running landscape, or else that of the next start.
func currentConfig(global *globalFlags) (*config.Landscape, error) {
	l, err := global.load(nil)
	if err != nil {
		return nil, err
	}
	pid, err := daemon.Holder(l.paths.Lock())
	if err != nil {
		return nil, unreadable(err)
	}
	if pid != 0 {
		cfg, err := state.SavedConfig(l.paths)
		if err != nil {
			return nil, &exitError{
				code: codeFailure, err: fmt.Errorf("read the configuration of the running landscape: %w", err),
				hint: `if the landscape is starting, try again; else "gardener down" and "gardener up" write it again`,
			}
		}
		return cfg, nil
	}
	next, err := global.loadAgain(func(*config.Landscape) {})
	if err != nil {
		return nil, err
	}
	defer next.release()
	return next.Landscape, nil
}

func newConfigTemplate() *cobra.Command {
	return &cobra.Command{
		Use: "template", Short: "Print a configuration file with all settings, their defaults and what they mean", Args: needsNone,
		Example: `  gardener config template > landscape.yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := cmd.OutOrStdout().Write(examples.Landscape)
			return err
		},
	}
}
