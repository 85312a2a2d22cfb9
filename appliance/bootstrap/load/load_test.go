package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"

	"github.com/gardener-up/gardener-up/embedded/image"
	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/local/applianceimage"
	"github.com/gardener-up/gardener-up/local/containers"
)

// machine is an engine with containers, whose containerd keeps the digests of what it imports.
type machine struct {
	dir     string
	nodes   map[string]containers.Container
	images  map[string]map[string]string // digests by node and name
	imports int
	refuses error
}

func (m *machine) Inspect(_ context.Context, name string) (containers.Container, error) {
	c, found := m.nodes[name]
	if !found {
		return c, containers.ErrNotFound
	}
	return c, nil
}

func (m *machine) Exec(_ context.Context, name string, stdin io.Reader, args ...string) ([]byte, error) {
	switch text := strings.Join(args, " "); {
	case strings.Contains(text, "boot_id"):
		return []byte("kernel\n"), nil
	case strings.HasSuffix(text, "images list"):
		table := "REF TYPE DIGEST SIZE PLATFORMS LABELS\n"
		for reference, digest := range m.images[name] {
			table += fmt.Sprintf("%s application/vnd.oci.image.manifest.v1+json %s 1.0 MiB linux/amd64 -\n", reference, digest)
		}
		return []byte(table), nil
	case m.refuses != nil:
		return nil, m.refuses
	}
	reference, digest, err := m.read(stdin)
	if err != nil {
		return nil, err
	}
	if m.images[name] == nil {
		m.images[name] = map[string]string{}
	}
	m.images[name][reference] = digest
	m.imports++
	return nil, nil
}

// read checks an archive as strictly as the image store does, and returns what it holds.
func (m *machine) read(archive io.Reader) (reference, digest string, _ error) {
	store, err := imagestore.Open(filepath.Join(m.dir, fmt.Sprint("store", m.imports)))
	if err != nil {
		return "", "", err
	}
	records, err := store.LoadFrom(archive, "")
	if err != nil || len(records) != 1 {
		return "", "", fmt.Errorf("%d images, %w", len(records), err)
	}
	return string(records[0].Reference), records[0].Manifest.String(), nil
}

func aMachine(t *testing.T, names ...string) *machine {
	t.Helper()
	m := &machine{dir: t.TempDir(), nodes: map[string]containers.Container{}, images: map[string]map[string]string{}}
	for i, name := range names {
		m.nodes[name] = containers.Container{Name: name, Running: true, IPs: map[string]string{"kind": fmt.Sprintf("172.18.0.%d", i+2)}}
	}
	return m
}

func aNode(name, address string) Node {
	return Node{Name: name, Architecture: "amd64", BootID: "kernel", Addresses: []string{address, name}}
}

// anImage is one for amd64, which the content tells from others.
func anImage(t *testing.T, text string) Image {
	t.Helper()
	program := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(program, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return Image{Name: image.Named(""), For: func(architecture string) (v1.Image, error) {
		if architecture != "amd64" {
			return nil, nil
		}
		return applianceimage.Program{Binary: program, Architecture: architecture, Version: "v1"}.Image()
	}}
}

func TestLoad(t *testing.T) {
	m := aMachine(t, "a", "b")
	nodes, images := []Node{aNode("a", "172.18.0.2"), aNode("b", "172.18.0.3")}, []Image{anImage(t, "one")}
	load := func(t *testing.T, images []Image) (done []string) {
		t.Helper()
		steps, err := Plan(t.Context(), m, nodes, images)
		if err != nil {
			t.Fatal(err)
		}
		for _, step := range steps {
			if err := step.Do(t.Context(), m); err != nil {
				t.Fatal(err)
			}
			done = append(done, step.Node)
		}
		return done
	}
	t.Run("APP-25 an image is loaded into each node once", func(t *testing.T) {
		if done := load(t, images); !slices.Equal(done, []string{"a", "b"}) {
			t.Errorf("loaded into %v", done)
		}
		if done := load(t, images); done != nil {
			t.Errorf("loaded again into %v", done)
		}
	})
	t.Run("APP-25 a node that has lost the image gets it again, and no other node", func(t *testing.T) {
		delete(m.images, "b")
		if done := load(t, images); !slices.Equal(done, []string{"b"}) {
			t.Errorf("loaded into %v", done)
		}
	})
	t.Run("APP-25 other content of the same name is replaced", func(t *testing.T) {
		if done := load(t, []Image{anImage(t, "two")}); len(done) != 2 {
			t.Errorf("loaded into %v", done)
		}
	})
	t.Run("APP-25 a refusal names the image and the node", func(t *testing.T) {
		m.images, m.refuses = map[string]map[string]string{}, errors.New("no space left")
		steps, err := Plan(t.Context(), m, nodes, images)
		if err != nil {
			t.Fatal(err)
		}
		if err := steps[0].Do(t.Context(), m); !errors.Is(err, m.refuses) || !strings.Contains(err.Error(), image.Named("")+" into node a") {
			t.Errorf("error %v", err)
		}
	})
}

func TestNodesElsewhere(t *testing.T) {
	for name, tc := range map[string]struct {
		node   Node
		change func(*containers.Container)
		want   string
	}{
		"a node without a container":             {node: aNode("other", "172.18.0.2"), want: "none of this name"},
		"a node at another address":              {node: aNode("a", "10.0.0.1"), want: "another address"},
		"a node on another kernel":               {node: Node{Name: "a", BootID: "elsewhere", Addresses: []string{"172.18.0.2"}}, want: "another machine"},
		"a node that does not tell its kernel":   {node: Node{Name: "a", Addresses: []string{"172.18.0.2"}}, want: "another machine"},
		"a node whose container is stopped":      {node: aNode("a", "172.18.0.2"), change: func(c *containers.Container) { c.Running = false }, want: "does not run"},
		"a node whose container has been paused": {node: aNode("a", "172.18.0.2"), change: func(c *containers.Container) { c.Paused = true }, want: "does not run"},
	} {
		t.Run("APP-25 "+name+" is named", func(t *testing.T) {
			m := aMachine(t, "a")
			if tc.change != nil {
				changed := m.nodes["a"]
				tc.change(&changed)
				m.nodes["a"] = changed
			}
			_, err := Plan(t.Context(), m, []Node{tc.node}, []Image{anImage(t, "one")})
			if !errors.Is(err, ErrElsewhere) || !strings.Contains(err.Error(), "node "+tc.node.Name) || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error %v, want one with %q", err, tc.want)
			}
		})
	}
	t.Run("APP-25 all nodes that cannot be reached are named at once", func(t *testing.T) {
		_, err := Plan(t.Context(), aMachine(t, "a"), []Node{aNode("x", ""), aNode("a", "172.18.0.2"), aNode("y", "")}, []Image{anImage(t, "one")})
		if err == nil || !strings.Contains(err.Error(), "node x") || !strings.Contains(err.Error(), "node y") || strings.Contains(err.Error(), "node a") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("APP-25 an architecture that no image has is named", func(t *testing.T) {
		node := aNode("a", "172.18.0.2")
		node.Architecture = "arm64"
		_, err := Plan(t.Context(), aMachine(t, "a"), []Node{node}, []Image{anImage(t, "one")})
		if err == nil || !strings.Contains(err.Error(), "for arm64") {
			t.Errorf("error %v", err)
		}
	})
}

func TestArchive(t *testing.T) {
	content, err := anImage(t, "one").For("amd64")
	if err != nil {
		t.Fatal(err)
	}
	m := aMachine(t)
	file := filepath.Join(m.dir, "archive")
	w, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(archive(w, "example.org/app:1", content), w.Close()); err != nil {
		t.Fatal(err)
	}
	r, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	want, err := content.Digest()
	if err != nil {
		t.Fatal(err)
	}
	reference, digest, err := m.read(r)
	if err != nil || reference != "example.org/app:1" || digest != want.String() {
		t.Errorf("APP-25 the archive holds %s with %s, %v; want %s", reference, digest, err, want)
	}
}
