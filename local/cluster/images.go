package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"github.com/gardener-up/gardener-up/local/containers"
)

// loadedDir is where the node remembers the content of the images that were loaded: one file per name, with the ID.
const loadedDir = "/var/lib/gardener/images"

// images lists the names of all images in the node.
func (c *Cluster) images(ctx context.Context) ([]string, error) {
	out, err := c.engine.Exec(ctx, c.config.NodeName(), nil, "ctr", "--namespace", "k8s.io", "images", "list", "--quiet")
	if err != nil {
		return nil, fmt.Errorf("list images of kind cluster %s: %w", c.config.Name, err)
	}
	return strings.Fields(string(out)), nil
}

// Load puts an image into the node unless it is there already. id names its content; archive makes the file to load and is
// called only when it is needed.
func (c *Cluster) Load(ctx context.Context, reference, id string, archive func() (path string, err error)) error {
	present, err := c.images(ctx)
	if err != nil {
		return err
	}
	note := path.Join(loadedDir, strings.NewReplacer("/", "_", ":", "_").Replace(reference))
	if slices.Contains(present, reference) {
		known, err := c.engine.Exec(ctx, c.config.NodeName(), nil, "cat", note)
		if err == nil && strings.TrimSpace(string(known)) == id {
			return nil
		}
	}
	file, err := archive()
	if err != nil {
		return err
	}
	c.log.Info("Image is loaded into the kind cluster", "image", reference)
	if err := c.load(file); err != nil {
		return fmt.Errorf("load image %s into kind cluster %s: %w", reference, c.config.Name, explain(err))
	}
	_, err = c.engine.Exec(ctx, c.config.NodeName(), strings.NewReader(id), "sh", "-c", `mkdir -p "$1" && cat >"$2"`, "sh", loadedDir, note)
	if err != nil {
		return fmt.Errorf("note image %s in kind cluster %s: %w", reference, c.config.Name, err)
	}
	return nil
}

func (c *Cluster) load(archive string) error {
	list, err := c.kind.ListNodes(c.config.Name)
	if err != nil {
		return err
	}
	index := slices.IndexFunc(list, func(node nodes.Node) bool { return node.String() == c.config.NodeName() })
	if index < 0 {
		return errors.Join(containers.ErrNotFound, fmt.Errorf("node %s", c.config.NodeName()))
	}
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	return nodeutils.LoadImageArchive(list[index], file)
}

// SystemImages are the images that nodes of shoots need and that every node image brings along.
type SystemImages struct{ KubeProxy, CoreDNS string }

func findSystemImages(present []string) (SystemImages, error) {
	present = slices.Sorted(slices.Values(present))
	find := func(word string) string {
		for _, name := range present {
			repository, tag, _ := strings.Cut(path.Base(name), ":")
			if tag != "" && !strings.Contains(name, "@") && (repository == word || strings.HasPrefix(repository, word+"-")) {
				return name
			}
		}
		return ""
	}
	images := SystemImages{KubeProxy: find("kube-proxy"), CoreDNS: find("coredns")}
	for what, name := range map[string]string{"kube-proxy": images.KubeProxy, "coredns": images.CoreDNS} {
		if name == "" {
			return images, fmt.Errorf("the node image holds no image of %s: use one made like kindest/node", what)
		}
	}
	return images, nil
}
