package app

import (
	"context"

	"github.com/spf13/cobra"
)

// completeFirst completes the first argument with names from the landscape. Later arguments get no completions.
func completeFirst(global *globalFlags, names func(context.Context, *landscape) ([]string, error)) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		l, err := global.load(nil)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		found, err := names(cmd.Context(), l)
		if err != nil {
			return nil, cobra.ShellCompDirectiveError
		}
		return found, cobra.ShellCompDirectiveNoFileComp
	}
}
