// Package images makes the images that Kubernetes' conformance tests use, of Debian's packages and of programs that it compiles from the
// module cache. They have the names of the originals, and do what the tests ask of these. No registry is asked.
package images

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"k8s.io/kubernetes/test/utils/image"
)

// Folders are where the sources are.
type Folders struct {
	Suite      string // the module of the tests
	Kubernetes string // the source of Kubernetes
	Work       string // what is downloaded and compiled
}

// recipe is how an image is made.
type recipe struct {
	layers []v1.Layer
	config v1.Config
}

// Write writes all images into an archive as docker save does, and returns its path and their names.
func Write(folders Folders) (string, []string, error) {
	if err := os.MkdirAll(folders.Work, 0o755); err != nil {
		return "", nil, err
	}
	recipes, err := recipes(folders)
	if err != nil {
		return "", nil, err
	}
	all, names := map[name.Tag]v1.Image{}, []string{}
	for id, recipe := range recipes {
		config := image.GetConfig(id)
		tag, err := name.NewTag(config.GetE2EImage())
		if err != nil {
			return "", nil, err
		}
		made, err := recipe.image()
		if err != nil {
			return "", nil, fmt.Errorf("image %s: %w", tag, err)
		}
		all[tag], names = made, append(names, tag.String())
	}
	file := filepath.Join(folders.Work, "images.tar")
	return file, names, tarball.MultiWriteToFile(file, all)
}

func (r recipe) image() (v1.Image, error) {
	made, err := mutate.AppendLayers(empty.Image, r.layers...)
	if err != nil {
		return nil, err
	}
	config, err := made.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Config = "linux", runtime.GOARCH, r.config
	return mutate.ConfigFile(made, config)
}

// search is where programs are found.
var search = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}

func recipes(folders Folders) (map[image.ImageID]recipe, error) {
	l, err := layersOf(folders)
	if err != nil {
		return nil, err
	}
	agnhost := v1.Config{Entrypoint: []string{"/agnhost"}, Cmd: []string{"pause"}, Env: search}
	server := agnhost
	server.Cmd = []string{"test-webserver"}
	other := agnhost
	other.User = "1234"
	whole := []v1.Layer{l.busybox, l.tools, l.agnhost}
	with := func(layer v1.Layer) []v1.Layer { return append(whole[:len(whole):len(whole)], layer) }
	return map[image.ImageID]recipe{
		image.Agnhost:     {whole, agnhost},
		image.AgnhostPrev: {whole, agnhost},
		image.NonRoot:     {whole, other},
		image.Kitten:      {with(l.kitten), server},
		image.Nautilus:    {with(l.nautilus), server},
		// The tests expect of nginx that it runs and serves something at port 80.
		image.Nginx:           {whole, v1.Config{Entrypoint: []string{"/agnhost", "test-webserver"}, Env: search}},
		image.NginxNew:        {whole, v1.Config{Entrypoint: []string{"/agnhost", "test-webserver"}, Env: search}},
		image.BusyBox:         {[]v1.Layer{l.busybox}, v1.Config{Cmd: []string{"sh"}, Env: search}},
		image.GlibcDnsTesting: {[]v1.Layer{l.busybox, l.tools}, v1.Config{Cmd: []string{"bash"}, Env: search}},
		image.Pause:           {[]v1.Layer{l.pause}, v1.Config{Entrypoint: []string{"/pause"}, Env: search, User: "65535:65535"}},
		image.Nonewprivs:      {[]v1.Layer{l.busybox, l.nonewprivs}, v1.Config{Cmd: []string{"nnp"}, Env: search}},
		image.APIServer:       {[]v1.Layer{l.busybox, l.apiServer}, v1.Config{Entrypoint: []string{"/sample-apiserver"}, Env: search}},
		image.Etcd:            {[]v1.Layer{l.busybox, l.etcd}, v1.Config{Entrypoint: []string{"/usr/local/bin/etcd"}, Env: search}},
	}, nil
}
