package app

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/appliance/bundle/collect"
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/embedded/self"
	"github.com/gardener-up/gardener-up/local/applianceimage"
)

func newBundle(global *globalFlags) *cobra.Command {
	cmd := &cobra.Command{
		Use: "bundle", GroupID: "parts",
		Short: "Make one file with everything for a site without internet",
		Long: `Make one file with everything for a site without internet: the image of this binary, and the images and charts that you choose. The same
content always gives the same file. It is signed, so that the site notices every change of it. docs/bundle.md shows the whole way.`,
	}
	cmd.AddCommand(newBundleCreate(global), newBundleVerify(global.display), newBundleList(), newBundlePush(global.display))
	return asGroup(cmd)
}

// bundleFlags are those of "gardener bundle create".
type bundleFlags struct {
	with, architectures, binaries []string
	kind                          bool
	key                           string
}

func newBundleCreate(global *globalFlags) *cobra.Command {
	var flags bundleFlags
	cmd := &cobra.Command{
		Use: "create FILE", Short: "Collect images and charts into a bundle", Args: needs("the name of the file"),
		Long: `Collect images and charts into a bundle, with the image of this binary. After an interruption the same command goes on where it stopped, from
the directory FILE.partial.

--with takes
  an image of a registry        nginx:1.29, or registry.example.org/app@sha256:…, which is taken for all its platforms
  an image that was loaded      store:nginx:1.29, from "gardener image list" of the landscape
  a file of images              an archive of docker save, podman save or ctr images export, or an OCI image layout
  a Helm chart of a registry    oci://registry.example.org/charts/app:1.0.0
  a Helm chart of a file        a directory with Chart.yaml, or a packed chart

Registries are asked with the credentials of "docker login" or "podman login". The key is made at first use. Hand the file beside it, with the
extension .pub, to the site, on another way than the bundle.`,
		Example: `  gardener bundle create --key bundle.key --with store:nginx:1.29 --with ./charts/app landscape.bundle`,
		RunE: func(cmd *cobra.Command, args []string) error {
			request, err := flags.request(cmd.ErrOrStderr(), global, args[0])
			if err != nil {
				return err
			}
			request.Tell = func(text string) {
				global.display.tell(cmd.ErrOrStderr(), event{Object: "bundle " + args[0], State: "collecting", Message: text}, text+"\n")
			}
			digest, list, err := collect.Bundle(cmd.Context(), request)
			if err != nil {
				return cured(err, "correct what the message names and run the same command again: what is there already stays in "+collect.Partial(args[0]))
			}
			global.display.tell(cmd.OutOrStdout(), event{Object: "bundle " + args[0], State: "complete", Message: digest},
				fmt.Sprintf("bundle %s is complete: %d contents, %s\n", args[0], len(list.Contents), digest))
			return nil
		},
	}
	f := cmd.Flags()
	f.StringArrayVar(&flags.with, "with", nil, "image or chart to take; may be given several times")
	f.StringSliceVar(&flags.architectures, "architecture", nil, "architectures of the site (default that of this machine)")
	f.StringArrayVar(&flags.binaries, "binary", nil, "ARCHITECTURE=FILE, this version of gardener for another architecture")
	f.BoolVar(&flags.kind, "kind", false, "take the node image of provider kind, too")
	f.StringVar(&flags.key, "key", "", "file of the key that signs (default bundle.key in the directory of all landscapes)")
	_ = cmd.MarkFlagFilename("key")
	_ = cmd.RegisterFlagCompletionFunc("binary", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"amd64=", "arm64="}, cobra.ShellCompDirectiveNoSpace
	})
	_ = cmd.RegisterFlagCompletionFunc("with", func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return nil, cobra.ShellCompDirectiveDefault // files
	})
	_ = cmd.RegisterFlagCompletionFunc("architecture", cobra.FixedCompletions([]string{"amd64", "arm64"}, cobra.ShellCompDirectiveNoFileComp))
	cmd.ValidArgsFunction = completeFile
	return cmd
}

func (b bundleFlags) request(w io.Writer, global *globalFlags, file string) (r collect.Request, err error) {
	if len(b.architectures) == 0 {
		b.architectures = []string{runtime.GOARCH}
	}
	if b.key == "" {
		if b.key, err = usualKey(); err != nil {
			return r, err
		}
	}
	programs, err := b.programs()
	if err != nil {
		return r, usageError(err, "name a binary of this version for each architecture, such as --binary arm64=./gardener-arm64")
	}
	key, made, err := bundle.OpenKey(b.key)
	if err != nil {
		return r, cured(err, "name another file with --key; one that does not exist is made")
	}
	if made {
		text := fmt.Sprintf("made the key %s; hand %s to the site", b.key, b.key+bundle.PublicExtension)
		global.display.mention(w, event{Object: "key " + b.key, State: "made", Message: text}, text)
	}
	r = collect.Request{
		File: file, Key: key, Version: image.Version, Architectures: b.architectures, Programs: programs, Sources: b.with,
		Store: func() (*imagestore.Store, error) { return imageStore(global) }, Keychain: authn.DefaultKeychain,
	}
	if b.kind {
		r.NodeImages = []string{config.DefaultNodeImage}
	}
	return r, nil
}

// usualKey is where the key for bundles of this user is.
func usualKey() (string, error) {
	root, err := paths.DefaultRoot(config.DefaultName)
	if err != nil {
		return "", usageError(err, "name the file of the key with --key")
	}
	return filepath.Join(filepath.Dir(root), "bundle.key"), nil
}

// programs are the binaries for all architectures: this one, and those that the user names.
func (b bundleFlags) programs() ([]applianceimage.Program, error) {
	named := map[string]string{}
	for _, text := range b.binaries {
		architecture, file, ok := strings.Cut(text, "=")
		if !ok {
			return nil, fmt.Errorf("%q is not ARCHITECTURE=FILE", text)
		}
		named[architecture] = file
	}
	own, err := self.Path()
	if err != nil {
		return nil, err
	}
	var all []applianceimage.Program
	for _, architecture := range b.architectures {
		program := applianceimage.Program{Binary: named[architecture], Architecture: architecture, Version: image.Version}
		delete(named, architecture)
		switch {
		case program.Binary != "":
			if err := sameRelease(program, own); err != nil {
				return nil, err
			}
		case architecture == runtime.GOARCH:
			program.Binary = own
		default:
			return nil, fmt.Errorf("there is no binary for %s", architecture)
		}
		all = append(all, program)
	}
	for architecture := range named {
		return nil, fmt.Errorf("there is a binary for %s, and the bundle is not for it", architecture)
	}
	return all, nil
}

func newBundleVerify(shown *display) *cobra.Command {
	var key string
	cmd := &cobra.Command{
		Use: "verify FILE", Short: "Check a bundle as a whole, and who signed it", Args: needs("the name of the file"), ValidArgsFunction: completeFile,
		Long: `Check every byte of a bundle against its list, and the signature of the list. Without --key it says whose signature that is, but anybody can sign: compare
the fingerprint with that of the key of the person who made the bundle.`,
		Example: `  gardener bundle verify --key bundle.key.pub landscape.bundle`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opened, err := openBundle(args[0], key)
			if err != nil {
				return err
			}
			defer func() { _ = opened.Close() }()
			if err := opened.Verify(); err != nil {
				return cured(explainBundle(args[0], err), "look at the rights of the file")
			}
			tellSignature(cmd.ErrOrStderr(), shown, args[0], opened)
			shown.tell(cmd.OutOrStdout(), event{Object: "bundle " + args[0], State: "whole", Message: bundle.Fingerprint(opened.Key)}, fmt.Sprintf("bundle %s is whole\n", args[0]))
			return nil
		},
	}
	addPublicKey(cmd, &key)
	return cmd
}

func newBundleList() *cobra.Command {
	var output string
	cmd := &cobra.Command{
		Use: "list FILE", Short: "List what is in a bundle", Args: needs("the name of the file"), ValidArgsFunction: completeFile,
		Example: `  gardener bundle list landscape.bundle
  gardener bundle list landscape.bundle -o json`,
		RunE: func(cmd *cobra.Command, args []string) error {
			opened, err := openBundle(args[0], "")
			if err != nil {
				return err
			}
			defer func() { _ = opened.Close() }()
			return printAs(cmd.OutOrStdout(), output, opened.List, func() [][]string {
				rows := [][]string{{"KIND", "NAME", "DIGEST", "BYTES"}}
				for _, c := range opened.List.Contents {
					rows = append(rows, []string{string(c.Kind), c.Name, c.Digest, fmt.Sprint(c.Size)})
				}
				return rows
			})
		},
	}
	addOutput(cmd, &output)
	return cmd
}

func addPublicKey(cmd *cobra.Command, key *string) {
	cmd.Flags().StringVar(key, "key", "", "file with the public key of whoever made the bundle; a bundle of somebody else is refused")
	_ = cmd.MarkFlagFilename("key")
}

// openBundle verifies the signature of a bundle. key is the file of a public key, or empty.
func openBundle(file, key string) (*bundle.Bundle, error) {
	expected, err := readPublicKey(key)
	if err != nil {
		return nil, err
	}
	opened, err := bundle.Open(file, expected)
	if err != nil {
		return nil, cured(explainBundle(file, err), "look at the name and the rights of the file")
	}
	return opened, nil
}

// explainBundle gives an error of a bundle itself its exit code and hint. It returns others as they are.
func explainBundle(file string, err error) error {
	switch {
	case errors.Is(err, bundle.ErrDamaged), errors.Is(err, bundle.ErrForeign):
		return &exitError{code: codeFailure, err: fault.New(fault.Bundle, err), hint: "get the bundle again from whoever made it, and compare its digest; nothing was changed"}
	case errors.Is(err, fs.ErrNotExist):
		return &exitError{code: codeNotFound, err: fmt.Errorf("there is no file %s", file), hint: `make it with "gardener bundle create"`}
	}
	return err
}

// completeFile completes one file.
func completeFile(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return nil, cobra.ShellCompDirectiveDefault
}

// absolute completes a path that the user gave. The process of the landscape has another directory.
func absolute(path string) string {
	if whole, err := filepath.Abs(path); err == nil {
		return whole
	}
	return path
}
