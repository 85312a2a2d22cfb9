package app

import (
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/config"
)

// choiceFlag is the value of a flag that takes one of a few words. It refuses others before the command does anything.
type choiceFlag struct {
	what   string // that is chosen
	chosen *string
	known  []string
}

// String implements pflag.Value.
func (c *choiceFlag) String() string { return *c.chosen }

// Type implements pflag.Value.
func (c *choiceFlag) Type() string { return "string" }

// Set implements pflag.Value.
func (c *choiceFlag) Set(text string) error {
	if !slices.Contains(c.known, text) {
		return fmt.Errorf("unknown %s %q", c.what, text)
	}
	*c.chosen = text
	return nil
}

// addProvider adds the flag --provider, which is for the nodes of a seed.
func addProvider(cmd *cobra.Command, provider *string, usage string) {
	known := []string{config.ProviderEmbedded, config.ProviderKind}
	cmd.Flags().Var(&choiceFlag{"provider", provider, known}, "provider", usage)
	_ = cmd.RegisterFlagCompletionFunc("provider", cobra.FixedCompletions(known, cobra.ShellCompDirectiveNoFileComp))
}
