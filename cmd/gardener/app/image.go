package app

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/local/applianceimage"
)

func newImage() *cobra.Command {
	cmd := &cobra.Command{
		Use: "image", GroupID: "parts",
		Short: "Make the container image of this binary",
		Long: `Make the container image of this binary, which all control planes of shoots run. Provider kind does that by itself;
clusters elsewhere need it in their nodes or in a registry.`,
	}
	cmd.AddCommand(newImageSave())
	return asGroup(cmd)
}

func newImageSave() *cobra.Command {
	return &cobra.Command{
		Use:   "save FILE",
		Short: "Write the image as an archive for docker load, podman load or ctr images import",
		Args:  cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			binary, err := os.Executable()
			if err != nil {
				return fmt.Errorf("find this binary: %w", err)
			}
			reference, err := applianceimage.Save(binary, args[0])
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "%s is saved in %s\n", reference, args[0])
			return nil
		},
	}
}
