package resourcemanager

import (
	"fmt"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/gardener-up/gardener-up/controllers/internal/effect"
	"github.com/gardener-up/gardener-up/controllers/resourcemanager/config"
)

// Command is the resource manager as component `resource-manager`.
func Command() *cobra.Command {
	var (
		given = newOptions()
		file  string
	)
	cmd := &cobra.Command{
		Use:           "resource-manager",
		Short:         "Apply ManagedResources of one cluster to another, and renew tokens and certificates there",
		Args:          cobra.NoArgs,
		SilenceUsage:  true,
		SilenceErrors: true,
		RunE: func(cmd *cobra.Command, _ []string) error {
			opts := given
			if file != "" {
				var err error
				if opts, err = optionsOf(file, cmd.Flags()); err != nil {
					return err
				}
			}
			if err := opts.complete(); err != nil {
				return err
			}
			mgr, err := newManager(opts)
			if err != nil {
				return err
			}
			effect.Log(mgr.GetLogger(), opts.withoutEffect)
			return mgr.Start(cmd.Context())
		},
	}
	given.bind(cmd.Flags())
	cmd.Flags().StringVar(&file, "config", "", "file of kind "+config.Kind+"; flags win over it")
	return cmd
}

// optionsOf reads the configuration file and applies the given flags on top of it.
func optionsOf(file string, given *pflag.FlagSet) (*options, error) {
	content, err := config.Load(file)
	if err != nil {
		return nil, err
	}
	opts := newOptions()
	flags := pflag.NewFlagSet("", pflag.ContinueOnError)
	opts.bind(flags)
	opts.apply(content)
	var errs error
	given.Visit(func(flag *pflag.Flag) {
		if flags.Lookup(flag.Name) == nil || errs != nil {
			return
		}
		if slice, ok := flag.Value.(pflag.SliceValue); ok {
			errs = flags.Lookup(flag.Name).Value.(pflag.SliceValue).Replace(slice.GetSlice())
			return
		}
		errs = flags.Set(flag.Name, flag.Value.String())
	})
	if errs != nil {
		return nil, fmt.Errorf("apply flags: %w", errs)
	}
	return opts, nil
}
