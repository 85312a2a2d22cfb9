package main

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// echoImage runs in pods of end-to-end tests, see hack/kind/images/echo.
	echoImage = "docker.io/e2e/echo:dev"
	// podnetImage connects the pods of nodes, see hack/kind/images/podnet.
	podnetImage = "docker.io/gardener-up/podnet:dev"
	// volumesImage provisions volumes of the default class, see hack/kind/images/volumes.
	volumesImage = "docker.io/gardener-up/volumes:dev"
	// nodeCacheImage is the DNS cache on the nodes of shoots, with the image name that the gardenlet uses.
	nodeCacheImage = "registry.k8s.io/dns/k8s-dns-node-cache:1.26.7"
	programPath    = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
)

// containerImages returns the images that a node of a kind cluster needs, with the names that kubeadm uses.
func (b *builder) containerImages(ctx context.Context, bin string) ([]image, error) {
	wanted, err := output(ctx, "", filepath.Join(bin, "kubeadm"), "config", "images", "list", "--kubernetes-version", b.kubernetes)
	if err != nil {
		return nil, err
	}
	tools, err := b.toolsLayer(ctx)
	if err != nil {
		return nil, err
	}
	images := []image{}
	for _, name := range append(strings.Fields(wanted), echoImage, podnetImage, volumesImage, nodeCacheImage) {
		img, err := b.containerImage(name, bin, tools)
		if err != nil {
			return nil, err
		}
		images = append(images, img)
	}
	return images, nil
}

// containerImage makes an image from the program with the last part of the image name. Kubernetes calls programs by
// name, so they are in PATH. Programs that configure the network also get the tools for it.
func (b *builder) containerImage(name, bin string, tools []byte) (image, error) {
	program := programOf(name)
	img := image{names: []string{name}, entrypoint: []string{"/usr/local/bin/" + program}, env: b.environment()}
	if slices.Contains(networkPrograms, program) {
		img.layers = append(img.layers, tools)
	}
	layer, err := fileLayer(map[string]string{"usr/local/bin/" + program: filepath.Join(bin, program)})
	img.layers = append(img.layers, layer)
	return img, err
}

// environment is that of all containers. Pods can change it.
func (b *builder) environment() []string {
	env := []string{programPath}
	if b.gogc != "" {
		env = append(env, "GOGC="+b.gogc)
	}
	return env
}

// networkPrograms configure the network of the host.
var networkPrograms = []string{"kube-proxy", "podnet", "k8s-dns-node-cache"}

// programOf returns the last part of an image name without its tag.
func programOf(name string) string {
	name = name[strings.LastIndex(name, "/")+1:]
	program, _, _ := strings.Cut(name, ":")
	return program
}

// pauseName returns the name of the pause image among those that kubeadm needs.
func pauseName(images []image) string {
	for _, img := range images {
		if programOf(img.names[0]) == "pause" {
			return img.names[0]
		}
	}
	return ""
}

// writeEcho also writes the test image to a file, for tests that load it themselves.
func (b *builder) writeEcho(images []image) error {
	i := slices.IndexFunc(images, func(img image) bool { return img.names[0] == echoImage })
	file, err := os.Create(filepath.Join(b.dir, "echo.tar"))
	if err != nil {
		return err
	}
	defer file.Close()
	return writeArchive(file, images[i:i+1])
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
