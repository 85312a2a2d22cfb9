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
type imageFlags struct {
	image, registry, bundle, key string
	load                         bool
}

func (i *imageFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVar(&i.image, "image", "", "image of this binary, as the nodes find it")
	f.BoolVar(&i.load, "load", false, "load the images of --bundle, or else that of this binary, into the nodes without a registry; the nodes have to be containers on this machine, as those of kind are")
	f.StringVar(&i.registry, "registry", "", "registry that the nodes reach, optionally with a path, to which the images of --bundle are pushed")
	f.StringVar(&i.bundle, "bundle", "", `bundle with the image of this binary, see "gardener bundle create"`)
	f.StringVar(&i.key, "bundle-key", "", "file with the public key of whoever made the bundle; a bundle of somebody else is refused")
	_ = cmd.MarkFlagFilename("bundle")
	_ = cmd.MarkFlagFilename("bundle-key")
}

// imageReference is the appliance image in a registry, or on the nodes.
type imageReference struct {
	image string
	// push sends the content of the bundle; nil if there is none.
	push func(context.Context) error
	// load brings images to the nodes; nil if it is not asked for.
	load *nodeImages
}

// onNodes reports whether nodes must have the image, since no registry has it.
func (i imageReference) onNodes() bool { return i.load != nil || image.Is(i.image, "") }

func (i *imageFlags) reference(w io.Writer, shown *display) (imageReference, error) {
	const hint = "name the image with --image, or a registry with --registry and a bundle with --bundle; or, for nodes of kind on this machine, take --load"
	switch {
	case i.load && (i.image != "" || i.registry != ""):
		return imageReference{}, usageError(errors.New("--load is in place of --image and --registry"), hint)
	case i.load && i.bundle == "":
		return imageReference{image: image.Named(""), load: &nodeImages{open: ownImage}}, nil
	case i.image != "" && (i.registry != "" || i.bundle != ""):
		return imageReference{}, usageError(errors.New("--image is in place of --registry and --bundle"), hint)
	case i.image != "":
		return imageReference{image: i.image}, nil
	case !i.load && (i.registry == "" || i.bundle == ""):
		return imageReference{}, usageError(errors.New("the nodes of the runtime cluster need the image of this binary"), hint)
	}
	from, err := openBundle(i.bundle, i.key)
	if err != nil {
		return imageReference{}, err
	}
	defer func() { _ = from.Close() }()
	if i.load {
		return i.loaded(w, shown, from)
	}
	target := push.Target{Place: i.registry, Keychain: authn.DefaultKeychain}
	name, err := inRegistry(from, target)
	if err != nil {
		return imageReference{}, usageError(err, "make a bundle with this binary, and look at the name of the registry")
	}
	tellSignature(w, shown, i.bundle, from)
	return imageReference{image: name, push: func(ctx context.Context) error {
		from, err := openBundle(i.bundle, i.key)
		if err != nil {
			return err
		}
		defer func() { _ = from.Close() }()
		return explainBundle(i.bundle, push.All(ctx, from, target, func(string) {}))
	}}, nil
}

// loaded is the appliance image of a bundle whose images are loaded into nodes.
func (i *imageFlags) loaded(w io.Writer, shown *display, from *bundle.Bundle) (imageReference, error) {
	if _, err := ownContent(from); err != nil {
		return imageReference{}, usageError(err, "make a bundle with this binary, or leave out --bundle")
	}
	tellSignature(w, shown, i.bundle, from)
	return imageReference{image: image.Named(""), load: &nodeImages{open: i.imagesOf}}, nil
}

// inRegistry is the name of the appliance image of the bundle at the target.
func inRegistry(from *bundle.Bundle, target push.Target) (string, error) {
	content, err := ownContent(from)
	if err != nil {
		return "", err
	}
	reference, err := target.Name(content)
	if err != nil {
		return "", err
	}
	return reference.Name(), nil
}

// ownContent is the image of this binary in the bundle.
func ownContent(from *bundle.Bundle) (bundle.Content, error) {
	for _, content := range from.List.Contents {
		if content.Name == image.Named("") {
			return content, nil
		}
	}
	return bundle.Content{}, fmt.Errorf("the bundle does not have %s, the image of this binary", image.Named(""))
}
