package main

import (
	"archive/tar"
	"bytes"
	"context"
	_ "embed"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

//go:embed files/tools.sh
var toolsScript string

//go:embed files/setup.sh
var setupScript []byte

//go:embed files/default-cni.yaml
var cniManifest []byte

//go:embed files/default-storage.yaml
var storageManifest []byte

// nodePrograms are installed on the node itself, where the units and scripts of kind expect them.
var nodePrograms = map[string]string{
	"usr/bin/kubelet": "kubelet", "usr/bin/kubeadm": "kubeadm", "usr/bin/kubectl": "kubectl",
	"usr/local/bin/containerd": "containerd", "usr/local/bin/containerd-shim-runc-v2": "containerd-shim-runc-v2",
	"usr/local/bin/ctr":      "ctr",
	"opt/cni/bin/host-local": "host-local", "opt/cni/bin/loopback": "loopback", "opt/cni/bin/ptp": "ptp", "opt/cni/bin/portmap": "portmap",
}

// builder makes images from inputs.
type builder struct {
	options
	inputs
}

// ensureNode builds the node image unless it exists, and makes the stable tag point to it.
func (b *builder) ensureNode(ctx context.Context) error {
	unlock, err := b.lock()
	if err != nil {
		return err
	}
	defer unlock()
	exists, err := imageExists(ctx, b.nodeTag())
	if err != nil {
		return err
	}
	if !exists {
		if err := b.buildNode(ctx); err != nil {
			return err
		}
	}
	_, err = docker(ctx, "tag", b.nodeTag(), b.stableTag())
	return err
}

// lock waits until no other process builds in the directory. The kernel always releases the lock when a process ends.
func (b *builder) lock() (unlock func(), err error) {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return nil, fmt.Errorf("make cache directory: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(b.dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, fmt.Errorf("open lock: %w", err)
	}
	if err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX); err != nil {
		_ = file.Close()
		return nil, fmt.Errorf("lock cache directory: %w", err)
	}
	return func() { _ = file.Close() }, nil
}

func (b *builder) buildNode(ctx context.Context) error {
	if err := b.ensureRoot(ctx); err != nil {
		return err
	}
	bin, err := b.buildPrograms(ctx)
	if err != nil {
		return err
	}
	images, err := b.containerImages(ctx, bin)
	if err != nil {
		return err
	}
	if err := b.writeEcho(images); err != nil {
		return fmt.Errorf("write test image: %w", err)
	}
	files, err := b.nodeFiles(bin, images)
	if err != nil {
		return err
	}
	logf("assembling %s", b.nodeTag())
	return b.commit(ctx, b.rootTag(), b.nodeTag(), b.kubernetes, files, "/bin/sh", "/kind/build/setup.sh")
}

// commit copies a tar into a container of an image, runs a command in it and makes an image from the result.
func (b *builder) commit(ctx context.Context, from, to, version string, files []byte, command ...string) error {
	container, err := docker(ctx, append([]string{"create", "--privileged", "--network=none", "--stop-signal=SIGRTMIN+3", "--entrypoint=" + command[0], from}, command[1:]...)...)
	if err != nil {
		return err
	}
	defer func() { _, _ = docker(context.WithoutCancel(ctx), "rm", "--force", "--volumes", container) }()
	if err := execute(ctx, "", bytes.NewReader(files), nil, "docker", "cp", "-", container+":/"); err != nil {
		return err
	}
	if out, err := docker(ctx, "start", "--attach", container); err != nil {
		return fmt.Errorf("%w\n%s", err, tail(out))
	}
	_, err = docker(ctx, "commit",
		"--change", `ENTRYPOINT ["/usr/local/bin/entrypoint","/sbin/init"]`, "--change", "CMD []",
		"--change", "ENV container=docker",
		"--change", "LABEL gardener-up.kubernetes-version="+version, container, to)
	return err
}

// nodeFiles returns a tar of all files that are added to the Debian root.
func (b *builder) nodeFiles(bin string, images []image) ([]byte, error) {
	buffer := bytes.Buffer{}
	archive := tar.NewWriter(&buffer)
	for _, target := range sortedKeys(nodePrograms) {
		data, err := os.ReadFile(filepath.Join(bin, nodePrograms[target]))
		if err != nil {
			return nil, fmt.Errorf("read program: %w", err)
		}
		if err := addFile(archive, target, 0o755, data); err != nil {
			return nil, err
		}
	}
	if err := addKindFiles(archive, filepath.Join(b.kindDir, "images", "base", "files")); err != nil {
		return nil, err
	}
	archived := bytes.Buffer{}
	if err := writeArchive(&archived, images); err != nil {
		return nil, err
	}
	settings := fmt.Sprintf("PAUSE=%s\nRESTRICTED=%t\nGOGC_OF_UNITS=%s\n", pauseName(images), b.restricted, b.gogc)
	for _, file := range []struct {
		name string
		data []byte
	}{
		{"kind/version", []byte(b.kubernetes)},
		{"kind/manifests/default-cni.yaml", cniManifest},
		{"kind/manifests/default-storage.yaml", storageManifest},
		{"kind/build/setup.sh", setupScript},
		{"kind/build/settings", []byte(settings)},
		{"kind/build/images.tar", archived.Bytes()},
	} {
		if err := addFile(archive, file.name, 0o644, file.data); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, fmt.Errorf("write archive: %w", err)
	}
	return buffer.Bytes(), nil
}

// addKindFiles adds the files of the base image of kind at the same paths. Only scripts are executable.
func addKindFiles(archive *tar.Writer, dir string) error {
	return filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("read file of kind: %w", err)
		}
		mode := int64(0o644)
		if strings.HasPrefix(name, "usr/local/bin/") || strings.HasPrefix(name, "kind/bin/") {
			mode = 0o755
		}
		return addFile(archive, name, mode, data)
	})
}
