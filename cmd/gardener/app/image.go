package app

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/self"
	"github.com/gardener-up/gardener-up/local/applianceimage"
)

func newImage(global *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "image", GroupID: "parts",
		Short: "Load images for shoots, and make the image of this binary",
		Long: `Load, list and remove images for containers of shoots, and make the container image of this binary. All control planes of shoots run it. Provider kind makes and loads the image by itself.
Other clusters need the image on their nodes or in a registry.`,
	}
	cmd.AddCommand(newImageLoad(global), newImageList(global), newImageRemove(global), newImageSave(global.display))
	return asGroup(cmd)
}

func newImageSave(shown *display) *cobra.Command {
	return &cobra.Command{
		Use:     "save FILE",
		Example: `  gardener image save gardener.tar && docker load -i gardener.tar`,

		Short: "Write the image of this binary as an archive for docker load, podman load or ctr images import",
		Args:  needs("the name of the file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			binary, err := self.Path()
			if err != nil {
				return err
			}
			reference := image.Named(os.Getenv(image.Variable))
			if err := applianceimage.Save(binary, reference, args[0]); err != nil {
				return err
			}
			shown.tell(cmd.OutOrStdout(), event{Object: "image " + reference, State: "saved", Message: args[0]}, fmt.Sprintf("saved %s in %s\n", reference, args[0]))
			return nil
		},
	}
}
