package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
)

// crictlImages is what crictl images prints.
type crictlImages struct {
	Images []struct {
		ID       string   `json:"id"`
		RepoTags []string `json:"repoTags"`
	} `json:"images"`
}

// Images lists the names of all images in the node: tag to ID.
func (c *Cluster) Images(ctx context.Context) (map[string]string, error) {
	out, err := c.engine.Exec(ctx, c.config.NodeName(), nil, "crictl", "images", "--output", "json")
	if err != nil {
		return nil, fmt.Errorf("list images of kind cluster %s: %w", c.config.Name, err)
	}
	var list crictlImages
	if err := json.Unmarshal(out, &list); err != nil {
		return nil, fmt.Errorf("list images of kind cluster %s: %w", c.config.Name, err)
	}
	images := map[string]string{}
	for _, image := range list.Images {
		for _, tag := range image.RepoTags {
			images[tag] = image.ID
		}
	}
	return images, nil
}

// Load puts an image into the node unless it is there already. id is the digest of the image's configuration; archive
// makes the file to load and is called only when it is needed.
func (c *Cluster) Load(ctx context.Context, reference, id string, archive func() (path string, err error)) error {
	present, err := c.Images(ctx)
	if err != nil {
		return err
	}
	if present[reference] == id {
		return nil
	}
	path, err := archive()
	if err != nil {
		return err
	}
	file, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("read image archive: %w", err)
	}
	defer file.Close()
	c.log.Info("Image is loaded into the kind cluster", "image", reference)
	_, err = c.engine.Exec(ctx, c.config.NodeName(), file,
		"ctr", "--namespace", "k8s.io", "images", "import", "--local", "--digests", "-")
	if err != nil {
		return fmt.Errorf("load image %s into kind cluster %s: %w", reference, c.config.Name, err)
	}
	return nil
}

// SystemImages are the images that nodes of shoots need and that every node image brings along.
type SystemImages struct{ KubeProxy, CoreDNS, Pause string }

// SystemImages finds them among the images of the node.
func (c *Cluster) SystemImages(ctx context.Context) (SystemImages, error) {
	present, err := c.Images(ctx)
	if err != nil {
		return SystemImages{}, err
	}
	return findSystemImages(present)
}

func findSystemImages(present map[string]string) (SystemImages, error) {
	names := make([]string, 0, len(present))
	for name := range present {
		names = append(names, name)
	}
	slices.Sort(names)
	find := func(word string) string {
		for _, name := range names {
			repository, _, _ := strings.Cut(name[strings.LastIndex(name, "/")+1:], ":")
			if repository == word || strings.HasPrefix(repository, word+"-") {
				return name
			}
		}
		return ""
	}
	images := SystemImages{KubeProxy: find("kube-proxy"), CoreDNS: find("coredns"), Pause: find("pause")}
	for what, name := range map[string]string{"kube-proxy": images.KubeProxy, "coredns": images.CoreDNS} {
		if name == "" {
			return images, fmt.Errorf("the node image holds no image of %s: use one made like kindest/node", what)
		}
	}
	return images, nil
}
