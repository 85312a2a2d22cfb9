package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
)

const (
	repository     = "gardener-up/kind-node"
	rootRepository = "gardener-up/kind-root"
	debianSuite    = "bookworm"
	hashLength     = 12
	defaultGC      = 100 // Go's own GOGC
)

// debianPackages contain the programs that systemd, kubelet, kube-proxy and the scripts of kind call on a node, and an SSH server, which
// machines of Gardener have.
var debianPackages = []string{
	"systemd", "dbus", "iptables", "nftables", "iproute2", "conntrack", "ethtool", "socat", "kmod", "jq", "procps",
	"ca-certificates", "runc", "util-linux", "mount", "libseccomp2", "curl", "e2fsprogs", "openssh-server",
}

// inputs determine the image; the same inputs give the same tags.
type inputs struct {
	repo       string // root of this repository
	kindDir    string // directory of module sigs.k8s.io/kind
	kind       string // version of kind
	kubernetes string // version of k8s.io/kubernetes
	etcd       string // version of go.etcd.io/etcd/server/v3
	restricted bool   // the host lacks CAP_SYS_RESOURCE, and so do the pods of its nodes
	goVersion  string
	gogc       string // GOGC of all programs of the node, or "" for Go's default
	sources    string // hash of the files of sourceDirs that are part of the image
}

// sourceDirs contain the files that are part of the image, from the root of this repository.
var sourceDirs = []string{"hack/kind", "local/networkpolicy", "embedded/atomicfile"}

func readInputs(ctx context.Context) (inputs, error) {
	in := inputs{gogc: rareCollections(os.Getenv("GOGC"))}
	var err error
	if in.repo, err = output(ctx, "", "go", "list", "-m", "-f", "{{.Dir}}"); err != nil {
		return in, err
	}
	for path, field := range map[string]*string{
		"k8s.io/kubernetes": &in.kubernetes, "go.etcd.io/etcd/server/v3": &in.etcd, "sigs.k8s.io/kind": &in.kind,
	} {
		if *field, err = output(ctx, in.repo, "go", "list", "-m", "-f", "{{.Version}}", path); err != nil {
			return in, err
		}
	}
	if _, err := output(ctx, in.repo, "go", "mod", "download", "sigs.k8s.io/kind"); err != nil {
		return in, err
	}
	if in.kindDir, err = output(ctx, in.repo, "go", "list", "-m", "-f", "{{.Dir}}", "sigs.k8s.io/kind"); err != nil {
		return in, err
	}
	if in.goVersion, err = output(ctx, in.repo, "go", "env", "GOVERSION"); err != nil {
		return in, err
	}
	if in.restricted, err = lacksSysResource(); err != nil {
		return in, err
	}
	var hashes []string
	for _, dir := range sourceDirs {
		hash, err := hashTree(filepath.Join(in.repo, dir))
		if err != nil {
			return in, err
		}
		hashes = append(hashes, hash)
	}
	in.sources = shortHash(hashes...)
	return in, nil
}

// hash of all inputs except directories.
func (in inputs) hash() string {
	return shortHash(in.kind, in.kubernetes, in.etcd, fmt.Sprint(in.restricted), in.goVersion, runtime.GOARCH, in.gogc, in.sources)
}

// rareCollections returns the GOGC of the programs of a node, given that of this process. Whoever sets one above Go's default, as the tests do,
// has memory to spare and lacks processor time.
func rareCollections(own string) string {
	if percent, err := strconv.Atoi(own); err != nil || percent <= defaultGC {
		return ""
	}
	return own
}

func (in inputs) nodeTag() string   { return repository + ":" + in.hash() }
func (in inputs) stableTag() string { return repository + ":" + in.kubernetes }
func (in inputs) variantTag(label string) string {
	return repository + ":" + in.hash() + "-" + label
}
func (in inputs) rootTag() string {
	return rootRepository + ":" + shortHash(append([]string{debianSuite, runtime.GOARCH}, debianPackages...)...)
}

func shortHash(parts ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return hex.EncodeToString(sum[:])[:hashLength]
}

// hashTree hashes names and contents of the files that are part of the image. It skips tests and scripts for the host.
func hashTree(dir string) (string, error) {
	h := sha256.New()
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || strings.HasSuffix(path, "_test.go") || entry.Name() == "docker.sh" {
			return err
		}
		relative, err := filepath.Rel(dir, path)
		if err != nil || strings.HasPrefix(relative, "runtime/") {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		fmt.Fprintf(h, "%s\n", relative)
		_, err = io.Copy(h, file)
		return err
	})
	if err != nil {
		return "", fmt.Errorf("hash %s: %w", dir, err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// lacksSysResource reports whether CAP_SYS_RESOURCE, bit 24, is outside the bounding set of this host.
func lacksSysResource() (bool, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return false, fmt.Errorf("read capabilities: %w", err)
	}
	_, rest, found := strings.Cut(string(status), "CapBnd:")
	var set uint64
	if _, err := fmt.Sscanf(rest, "%x", &set); !found || err != nil {
		return false, fmt.Errorf("read capabilities: no bounding set")
	}
	return set&(1<<24) == 0, nil
}
