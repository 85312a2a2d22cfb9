package app

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/gardener-up/gardener-up/appliance/bootstrap/load"
	"github.com/gardener-up/gardener-up/appliance/bundle"
	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/self"
	"github.com/gardener-up/gardener-up/local/applianceimage"
	"github.com/gardener-up/gardener-up/local/containers"
)

// byHand is how an image comes to nodes that this program does not reach.
const byHand = `bring the image to each of them: "gardener image save gardener.tar" here, and there "ctr -n k8s.io images import gardener.tar" ("k3s ctr" on k3s)`

// nodeImages are loaded into nodes that are containers on this machine.
type nodeImages struct {
	// open returns the images, and what closes their source.
	open func() (images []load.Image, closed func(), err error)
}

// ownImage is the image of this binary, made of the binary itself.
func ownImage() ([]load.Image, func(), error) {
	binary, err := self.Path()
	if err != nil {
		return nil, nil, err
	}
	build := sync.OnceValues(func() (v1.Image, error) { return applianceimage.Build(binary) })
	return []load.Image{{Name: image.Named(""), For: func(architecture string) (v1.Image, error) {
		if architecture != runtime.GOARCH {
			return nil, nil
		}
		return build()
	}}}, func() {}, nil
}

// imagesOf are those of a bundle that containers run.
func (i *imageFlags) imagesOf() ([]load.Image, func(), error) {
	from, err := openBundle(i.bundle, i.key)
	if err != nil {
		return nil, nil, err
	}
	var images []load.Image
	for _, content := range from.List.Contents {
		if content.Kind != bundle.Appliance && content.Kind != bundle.Image {
			continue
		}
		images = append(images, load.Image{Name: content.Name, For: func(architecture string) (v1.Image, error) {
			found, err := from.Image(content, architecture)
			return found, explainBundle(i.bundle, err)
		}})
	}
	return images, func() { _ = from.Close() }, nil
}

// plan finds the engine, and what the nodes lack of the images.
func (n *nodeImages) plan(ctx context.Context, nodes []corev1.Node, images []load.Image) (*containers.Engine, []load.Step, error) {
	engine, err := containers.Detect(ctx)
	if err != nil {
		return nil, nil, cured(fmt.Errorf("find the containers that are the nodes: %w", err), "run this where the nodes are containers, or "+byHand+", and name it with --image "+image.Named(""))
	}
	var known []load.Node
	for _, node := range nodes {
		one := load.Node{Name: node.Name, Architecture: node.Status.NodeInfo.Architecture, BootID: node.Status.NodeInfo.BootID}
		for _, address := range node.Status.Addresses {
			one.Addresses = append(one.Addresses, address.Address)
		}
		known = append(known, one)
	}
	steps, err := load.Plan(ctx, engine, known, images)
	if errors.Is(err, load.ErrElsewhere) {
		err = cured(err, byHand+", and name it with --image "+image.Named("")+" instead of --load; nothing was changed")
	}
	return engine, steps, err
}

// lacking hands what the nodes lack to use, while the images are open.
func (n *nodeImages) lacking(ctx context.Context, nodes []corev1.Node, use func(*containers.Engine, []load.Step) error) error {
	images, closed, err := n.open()
	if err != nil {
		return err
	}
	defer closed()
	engine, steps, err := n.plan(ctx, nodes, images)
	if err != nil {
		return err
	}
	return use(engine, steps)
}

// run loads what the nodes lack.
func (n *nodeImages) run(ctx context.Context, nodes []corev1.Node, tell func(doing string)) error {
	return n.lacking(ctx, nodes, func(engine *containers.Engine, steps []load.Step) error {
		for _, step := range steps {
			tell(step.String())
			if err := step.Do(ctx, engine); err != nil {
				return err
			}
		}
		return nil
	})
}

// announce says what run would do.
func (n *nodeImages) announce(ctx context.Context, tell func(string), nodes []corev1.Node) error {
	return n.lacking(ctx, nodes, func(_ *containers.Engine, steps []load.Step) error {
		for _, step := range steps {
			tell(fmt.Sprintf("would %s", step))
		}
		if len(steps) == 0 {
			tell("all nodes have all images")
		}
		return nil
	})
}
