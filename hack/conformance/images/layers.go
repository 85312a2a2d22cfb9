package images

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

type layers struct {
	busybox, tools, agnhost, kitten, nautilus, pause, nonewprivs, apiServer, etcd v1.Layer
}

// program is one that is compiled.
type program struct {
	module string // the folder to compile in
	source string // its package
	path   string // in the image
	mode   int64
}

const (
	executable = 0o755
	setUser    = 0o4755 // runs as its owner
)

func layersOf(folders Folders) (layers, error) {
	var l layers
	base, err := busybox(folders.Work)
	if err != nil {
		return l, err
	}
	names, err := dependencies(tools)
	if err != nil {
		return l, err
	}
	packages, err := debian(filepath.Join(folders.Work, "debian"), names...)
	if err != nil {
		return l, err
	}
	packages.link("usr/bin/nc", "nc.openbsd") // as the installation of the package does; busybox has another one
	for _, part := range []struct {
		layer *v1.Layer
		files func() (tree, error)
	}{
		{&l.busybox, func() (tree, error) { return base, nil }},
		{&l.tools, func() (tree, error) { return packages, nil }},
		{&l.agnhost, func() (tree, error) { return agnhost(folders) }},
		{&l.kitten, func() (tree, error) { return picture(folders, "kitten") }},
		{&l.nautilus, func() (tree, error) { return picture(folders, "nautilus") }},
		{&l.pause, func() (tree, error) {
			return compiled(folders, program{".", "./hack/conformance/images/pause", "pause", executable})
		}},
		{&l.nonewprivs, func() (tree, error) {
			return compiled(folders, program{folders.Suite, "k8s.io/kubernetes/test/images/nonewprivs", "usr/local/bin/nnp", setUser})
		}},
		{&l.apiServer, func() (tree, error) {
			return compiled(folders, program{folders.Suite, "k8s.io/sample-apiserver", "sample-apiserver", executable})
		}},
		{&l.etcd, func() (tree, error) {
			return compiled(folders, program{".", "go.etcd.io/etcd/server/v3", "usr/local/bin/etcd", executable})
		}},
	} {
		files, err := part.files()
		if err != nil {
			return l, err
		}
		if *part.layer, err = files.layer(); err != nil {
			return l, err
		}
	}
	return l, nil
}

func compiled(folders Folders, p program) (tree, error) {
	file := filepath.Join(folders.Work, filepath.Base(p.path))
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", file, p.source)
	cmd.Dir, cmd.Env = p.module, append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compile %s: %w\n%s", p.source, err, output)
	}
	t := tree{}
	return t, t.copy(p.path, file, p.mode)
}

// agnhost is the program that is most of the tests' containers.
func agnhost(folders Folders) (tree, error) {
	t, err := compiled(folders, program{folders.Suite, "k8s.io/kubernetes/test/images/agnhost", "agnhost", executable})
	if err != nil {
		return nil, err
	}
	t.link("agnhost-2", "agnhost")
	for _, name := range []string{"localhost.crt", "localhost.key"} {
		if err := t.copy(name, filepath.Join(folders.Kubernetes, "test/images/agnhost/porter", name), 0o644); err != nil {
			return nil, err
		}
	}
	return t, nil
}

// picture is what two versions of a server show, so that a test sees which one answers.
func picture(folders Folders, name string) (tree, error) {
	t := tree{}
	for _, file := range []string{"data.json", name + ".jpg"} {
		if err := t.copy(file, filepath.Join(folders.Kubernetes, "test/images", name, "html", file), 0o644); err != nil {
			return nil, err
		}
	}
	return t, nil
}
