package main

import (
	"archive/tar"
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// ensureVariant makes the second image of an update test: the node image with a kubelet and a kubectl that are the same
// programs but report another version. It is for workers that join an API server. kind could not create a cluster from
// it, since the images of the control plane have the version of go.mod, which /kind/version and kubeadm still report.
func (b *builder) ensureVariant(ctx context.Context) error {
	unlock, err := b.lock()
	if err != nil {
		return err
	}
	defer unlock()
	tag := b.variantTag(b.label)
	exists, err := imageExists(ctx, tag)
	if err != nil {
		return err
	}
	if !exists {
		if err := b.buildVariant(ctx, tag); err != nil {
			return err
		}
	}
	_, err = docker(ctx, "tag", tag, repository+":"+b.label)
	return err
}

func (b *builder) buildVariant(ctx context.Context, tag string) error {
	names := []string{"kubelet", "kubectl"}
	bin := filepath.Join(b.dir, "bin-"+b.label)
	if err := b.buildKubernetes(ctx, bin, b.label, names...); err != nil {
		return err
	}
	defer os.RemoveAll(bin)
	buffer := bytes.Buffer{}
	archive := tar.NewWriter(&buffer)
	for _, name := range names {
		data, err := os.ReadFile(filepath.Join(bin, name))
		if err != nil {
			return fmt.Errorf("read program: %w", err)
		}
		if err := addFile(archive, "usr/bin/"+name, 0o755, data); err != nil {
			return err
		}
	}
	if err := archive.Close(); err != nil {
		return fmt.Errorf("write archive: %w", err)
	}
	logf("assembling %s", tag)
	return b.commit(ctx, b.nodeTag(), tag, b.label, buffer.Bytes(), "/bin/true")
}
