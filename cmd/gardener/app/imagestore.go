package app

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/appliance/bundle/load"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/embedded/sandbox/layout"
)

// storedImage is an image for the containers of shoots.
type storedImage struct {
	Image string `json:"image"`
	ID    string `json:"id"`
	Size  int64  `json:"size"` // of its files in bytes
}

func newImageLoad(global *globalFlags) *cobra.Command {
	var name, key string
	cmd := &cobra.Command{
		Use: "load FILE|DIRECTORY|-",
		Example: `  docker save nginx:1.29 | gardener image load -
  gardener image load --name example.org/app:1 ./oci-layout
  gardener image load --key bundle.key.pub landscape.bundle`,
		Short: "Load images for the containers of shoots",
		Long: `Load images for the containers of shoots on embedded nodes that run in sandboxes (containers: sandbox). Clusters find loaded images without
asking a registry. The source is an archive of docker save, podman save or ctr images export, an OCI image layout, or a bundle of "gardener bundle create". Charts of a bundle are not
loaded, and neither are images of this binary and of nodes, which containers do not need.`,
		Args: needs("an archive, a directory, or - for the standard input"),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := imageStore(global)
			if err != nil {
				return err
			}
			if args[0] != "-" && bundle.Is(args[0]) {
				if name != "" {
					return usageError(errors.New("images of a bundle have names"), "leave out --name")
				}
				return loadBundle(cmd, global.display, store, args[0], key)
			}
			if key != "" {
				return usageError(fmt.Errorf("--key is for bundles, and %s is none", args[0]), "leave out --key")
			}
			var records []imagestore.Record
			if args[0] == "-" {
				records, err = store.LoadFrom(cmd.InOrStdin(), name)
			} else {
				records, err = store.Load(args[0], name)
			}
			for _, record := range records {
				tellOfImage(cmd, global.display, "loaded", string(record.Reference))
			}
			return cured(err, "it takes images for this machine, as archives of docker save, podman save or ctr images export, or as OCI image layouts; --name names one without a name")
		},
	}
	cmd.Flags().StringVar(&name, "name", "", "name of an image that has none in the source")
	addPublicKey(cmd, &key)
	return cmd
}

// tellOfImage says what was done with an image or a chart.
func tellOfImage(cmd *cobra.Command, shown *display, did, name string) {
	shown.tell(cmd.OutOrStdout(), event{Object: "image " + name, State: did}, did+" "+name+"\n")
}

// tellSignature says who has signed a bundle, so that somebody can compare it. The quiet compare it, too.
func tellSignature(w io.Writer, shown *display, file string, opened *bundle.Bundle) {
	fingerprint := bundle.Fingerprint(opened.Key)
	shown.mention(w, event{Object: "bundle " + file, State: "signed", Message: fingerprint}, fmt.Sprintf("bundle %s is signed by %s", file, fingerprint))
}

// loadBundle loads the images of a bundle.
func loadBundle(cmd *cobra.Command, shown *display, store *imagestore.Store, file, key string) error {
	from, err := openBundle(file, key)
	if err != nil {
		return err
	}
	defer func() { _ = from.Close() }()
	tellSignature(cmd.ErrOrStderr(), shown, file, from)
	_, err = load.Images(cmd.Context(), from, store, func(name string) { tellOfImage(cmd, shown, "loaded", name) })
	if err != nil {
		return cured(explainBundle(file, err), "make room on the disk of the landscape, or get a bundle for this machine; what is loaded already stays")
	}
	return nil
}

func newImageList(global *globalFlags) *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "list", Short: "List the loaded images", Args: needsNone,
		Example: `  gardener image list -o yaml`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			store, err := imageStore(global)
			if err != nil {
				return err
			}
			images, err := loadedImages(store)
			if err != nil {
				return err
			}
			if len(images) == 0 && output == "table" {
				global.display.none(cmd.ErrOrStderr(), "image", `no images are loaded; load one with "gardener image load"`)
				return nil
			}
			return printAs(cmd.OutOrStdout(), output, images, func() [][]string {
				rows := [][]string{{"IMAGE", "ID", "BYTES"}}
				for _, i := range images {
					rows = append(rows, []string{i.Image, i.ID, fmt.Sprint(i.Size)})
				}
				return rows
			})
		},
	}
	addOutput(cmd, &output)
	return cmd
}

func newImageRemove(global *globalFlags) *cobra.Command {
	return &cobra.Command{
		Use: "remove IMAGE", Short: "Remove a loaded image", Args: needs("the name of the image"),
		Example:           `  gardener image remove docker.io/library/nginx:1.29`,
		ValidArgsFunction: completeImages(global),
		RunE: func(cmd *cobra.Command, args []string) error {
			store, err := imageStore(global)
			if err != nil {
				return err
			}
			if err := store.Remove("", args[0]); errors.Is(err, imagestore.ErrNotFound) {
				return &exitError{code: codeNotFound, err: err, hint: `see "gardener image list"`}
			} else if err != nil {
				return err
			}
			global.display.tell(cmd.OutOrStdout(), event{Object: "image " + args[0], State: "removed"}, fmt.Sprintf("removed %s; containers that run keep their files\n", args[0]))
			return nil
		},
	}
}

func loadedImages(store *imagestore.Store) ([]storedImage, error) {
	records, err := store.List("")
	if err != nil {
		return nil, err
	}
	images := make([]storedImage, len(records))
	for i, record := range records {
		images[i] = storedImage{Image: string(record.Reference), ID: record.ID.String(), Size: record.Size}
	}
	return images, nil
}

// imageStore opens the store of a landscape, which may be stopped but must exist.
func imageStore(global *globalFlags) (*imagestore.Store, error) {
	l, err := global.load(nil)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(l.paths.Store()); errors.Is(err, os.ErrNotExist) {
		return nil, &exitError{code: codeNotRunning, err: fmt.Errorf("there is no landscape %q", l.Name), hint: `make it with "gardener up"`}
	}
	return imagestore.Open(layout.Dir(l.paths.Shared().Sandboxes()).Images())
}

func completeImages(global *globalFlags) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		store, err := imageStore(global)
		if err != nil || len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		images, _ := loadedImages(store)
		var names []string
		for _, i := range images {
			names = append(names, i.Image)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
