package app

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/spf13/cobra"

	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/appliance/bundle/push"
	"github.com/gardener-up/gardener-up/embedded/image"
)

// imageFlags say where the nodes of the runtime cluster get the appliance image.
type imageFlags struct{ image, registry, bundle, key string }

func (i *imageFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&i.image, "image", "", "image of this binary, as the nodes find it")
	f.StringVar(&i.registry, "registry", "", "registry that the nodes reach, optionally with a path, to which the images of --bundle are pushed")
	f.StringVar(&i.bundle, "bundle", "", `bundle with the image of this binary, see "gardener bundle create"`)
	f.StringVar(&i.key, "bundle-key", "", "file with the public key of whoever made the bundle; a bundle of somebody else is refused")
	_ = cmd.MarkFlagFilename("bundle")
	_ = cmd.MarkFlagFilename("bundle-key")
}

// imageReference is the appliance image in a registry.
type imageReference struct {
	image string
	// push sends the content of the bundle; nil if there is none.
	push func(context.Context) error
}

func (i *imageFlags) reference(w io.Writer) (imageReference, error) {
	const hint = "name the image with --image, or a registry with --registry and a bundle with --bundle"
	switch {
	case i.image != "" && (i.registry != "" || i.bundle != ""):
		return imageReference{}, usageError(errors.New("--image is in place of --registry and --bundle"), hint)
	case i.image != "":
		return imageReference{image: i.image}, nil
	case i.registry == "" || i.bundle == "":
		return imageReference{}, usageError(errors.New("the nodes of the runtime cluster need the image of this binary"), hint)
	}
	from, err := openBundle(i.bundle, i.key)
	if err != nil {
		return imageReference{}, err
	}
	defer func() { _ = from.Close() }()
	target := push.Target{Place: i.registry, Keychain: authn.DefaultKeychain}
	name, err := inRegistry(from, target)
	if err != nil {
		return imageReference{}, usageError(err, "make a bundle with this binary, and look at the name of the registry")
	}
	fmt.Fprintf(w, "bundle %s is signed by %s\n", i.bundle, bundle.Fingerprint(from.Key))
	return imageReference{image: name, push: func(ctx context.Context) error {
		from, err := openBundle(i.bundle, i.key)
		if err != nil {
			return err
		}
		defer func() { _ = from.Close() }()
		return explainBundle(i.bundle, push.All(ctx, from, target, func(string) {}))
	}}, nil
}

// inRegistry is the name of the appliance image of the bundle at the target.
func inRegistry(from *bundle.Bundle, target push.Target) (string, error) {
	for _, content := range from.List.Contents {
		if content.Name != image.Named("") {
			continue
		}
		reference, err := target.Name(content)
		if err != nil {
			return "", err
		}
		return reference.Name(), nil
	}
	return "", fmt.Errorf("the bundle does not have %s, the image of this binary", image.Named(""))
}
