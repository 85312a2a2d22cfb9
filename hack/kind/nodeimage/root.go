package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// ensureRoot makes the Debian root that node and kube-proxy are based on, unless the daemon has it.
func (b *builder) ensureRoot(ctx context.Context) error {
	if exists, err := imageExists(ctx, b.rootTag()); err != nil || exists {
		return err
	}
	if err := ensureDebootstrap(ctx); err != nil {
		return err
	}
	root := filepath.Join(b.dir, "root")
	if err := os.RemoveAll(root); err != nil { // of a killed build
		return fmt.Errorf("remove old Debian root: %w", err)
	}
	if err := os.Mkdir(root, 0o755); err != nil {
		return fmt.Errorf("make directory for the Debian root: %w", err)
	}
	if err := os.Chmod(root, 0o755); err != nil { // independent of the umask: this becomes the mode of / on the node
		return fmt.Errorf("open directory for the Debian root: %w", err)
	}
	defer os.RemoveAll(root)
	logf("installing Debian %s (takes a minute or more)", debianSuite)
	// in its own namespaces, so that neither its mounts nor its children outlive it
	args := []string{"--mount-proc", "--pid", "--fork", "--kill-child", "debootstrap", "--variant=minbase", "--include=" + strings.Join(debianPackages, ","), debianSuite, root}
	if b.mirror != "" {
		args = append(args, b.mirror)
	}
	if _, err := output(ctx, "", "unshare", args...); err != nil {
		return err
	}
	return b.importRoot(ctx, root)
}

// importRoot leaves out files that only apt and readers of manuals need.
func (b *builder) importRoot(ctx context.Context, root string) error {
	archive := filepath.Join(b.dir, "root.tar")
	defer os.Remove(archive)
	if _, err := output(ctx, root, "tar", "--numeric-owner", "--exclude=./var/cache/apt/*", "--exclude=./var/lib/apt/lists/*",
		"--exclude=./usr/share/doc/*", "--exclude=./usr/share/man/*", "--exclude=./usr/share/locale/*", "--exclude=./dev/*",
		"--exclude=./proc/*", "--exclude=./sys/*", "-cf", archive, "."); err != nil {
		return err
	}
	_, err := docker(ctx, "import", archive, b.rootTag())
	return err
}

func ensureDebootstrap(ctx context.Context) error {
	if _, err := exec.LookPath("debootstrap"); err == nil {
		return nil
	}
	if os.Geteuid() != 0 {
		return fmt.Errorf("debootstrap is missing and only root can install and run it")
	}
	if _, err := output(ctx, "", "apt-get", "update"); err != nil {
		return err
	}
	_, err := output(ctx, "", "apt-get", "install", "-y", "--no-install-recommends", "debootstrap", "debian-archive-keyring")
	return err
}

// toolsLayer returns a tar of the shell, iptables and their libraries. It is the base of images that configure the
// network of the host.
func (b *builder) toolsLayer(ctx context.Context) ([]byte, error) {
	out := bytes.Buffer{}
	if err := execute(ctx, "", strings.NewReader(toolsScript), &out, "docker", "run", "--rm", "--interactive", "--network=none",
		b.rootTag(), "/bin/sh", "-s"); err != nil {
		return nil, fmt.Errorf("collect network tools: %w", err)
	}
	return out.Bytes(), nil
}
