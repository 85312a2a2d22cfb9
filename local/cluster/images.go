package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"
	"sync"

	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"

	"github.com/gardener-up/gardener-up/local/containers"
)

// loadedDir is the node's directory with the IDs of the images that were loaded, one file per image name.
const loadedDir = "/var/lib/gardener/images"

// images lists the names of all images in a node.
func (e *Existing) images(ctx context.Context, node string) ([]string, error) {
	out, err := e.engine.Exec(ctx, node, nil, "ctr", "--namespace", "k8s.io", "images", "list", "--quiet")
	if err != nil {
		return nil, fmt.Errorf("list images of kind cluster %s: %w", e.name, err)
	}
	return strings.Fields(string(out)), nil
}

// Load puts an image into all nodes that lack it. id identifies its content. archive makes the file to load and is
// called only if a node lacks the image.
func (e *Existing) Load(ctx context.Context, reference, id string, archive func() (path string, err error)) error {
	names, err := e.nodes(ctx)
	if err != nil {
		return err
	}
	archive = sync.OnceValues(archive)
	loaded := make(chan error, len(names))
	for _, node := range names {
		go func() { loaded <- e.loadInto(ctx, node, reference, id, archive) }()
	}
	var failed []error
	for range names {
		failed = append(failed, <-loaded)
	}
	return errors.Join(failed...)
}

func (e *Existing) loadInto(ctx context.Context, node, reference, id string, archive func() (path string, err error)) error {
	present, err := e.images(ctx, node)
	if err != nil {
		return err
	}
	note := noteOf(reference)
	if slices.Contains(present, reference) {
		known, err := e.engine.Exec(ctx, node, nil, "cat", note)
		if err == nil && strings.TrimSpace(string(known)) == id {
			return nil
		}
	}
	file, err := archive()
	if err != nil {
		return err
	}
	e.log.Info("Loading image into the kind cluster", "image", reference, "node", node)
	if err := e.load(node, file); err != nil {
		return fmt.Errorf("load image %s into kind cluster %s: %w", reference, e.name, explain(err))
	}
	_, err = e.engine.Exec(ctx, node, strings.NewReader(id), "sh", "-c", `mkdir -p "$1" && cat >"$2"`, "sh", loadedDir, note)
	if err != nil {
		return fmt.Errorf("note image %s in kind cluster %s: %w", reference, e.name, err)
	}
	return nil
}

// noteOf is the file with the ID of an image.
func noteOf(reference string) string {
	return path.Join(loadedDir, strings.NewReplacer("/", "_", ":", "_").Replace(reference))
}

func (e *Existing) load(name, archive string) error {
	list, err := e.kind.ListInternalNodes(e.name)
	if err != nil {
		return err
	}
	index := slices.IndexFunc(list, func(node nodes.Node) bool { return node.String() == name })
	if index < 0 {
		return errors.Join(containers.ErrNotFound, fmt.Errorf("node %s", name))
	}
	file, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer file.Close()
	return nodeutils.LoadImageArchive(list[index], file)
}

// Unload removes all loaded images of a repository from all nodes, whatever their tag. containerd keeps images that
// are in use.
func (e *Existing) Unload(ctx context.Context, repository string) error {
	names, err := e.nodes(ctx)
	if err != nil {
		return err
	}
	for _, node := range names {
		present, err := e.images(ctx, node)
		if err != nil {
			return err
		}
		for _, reference := range present {
			if !strings.HasPrefix(reference, repository+":") {
				continue
			}
			_, err := e.engine.Exec(ctx, node, nil, "sh", "-c", `test -e "$2" || exit 0; ctr --namespace=k8s.io images remove "$1" && rm -f "$2"`, "sh", reference, noteOf(reference))
			if err != nil {
				return fmt.Errorf("remove image %s from kind cluster %s: %w", reference, e.name, err)
			}
		}
	}
	return nil
}

// SystemImages are the images that nodes of shoots need and that every node image contains.
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
			return images, fmt.Errorf("the node image contains no image of %s: use one made like kindest/node", what)
		}
	}
	return images, nil
}
