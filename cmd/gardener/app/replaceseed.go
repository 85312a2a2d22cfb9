package app

import (
	"errors"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/engine"
)

// addReplace is for verbs that start a landscape.
func (u *upFlags) addReplace(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&u.replace, "replace-seed", nil, "seed on kind that gets an empty cluster if its container was removed (repeatable)")
	_ = cmd.RegisterFlagCompletionFunc("replace-seed", cobra.NoFileCompletions)
}

// replaceSeeds allows empty clusters in place of those whose containers were removed.
func replaceSeeds(l *landscape, seeds []string) error {
	err := engine.Replace(l.paths, l.Name, l.Seed.Name, seeds...)
	if unknown, ok := errors.AsType[*engine.NoClusterError](err); ok {
		return &exitError{code: codeUsage, err: unknown, hint: "--replace-seed is for seeds of provider kind that the landscape made before"}
	}
	return err
}
