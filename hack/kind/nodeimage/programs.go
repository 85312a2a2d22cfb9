package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// group is the set of programs of one go build command. All groups are built without cgo and with -trimpath, as in the
// Makefile, so that they share its cache.
type group struct {
	dir      string   // packages of the module, relative to the repository
	args     []string // additional flags
	ldflags  string
	packages []string
}

// kubernetesPrograms are built from the module of this repository.
var kubernetesPrograms = []string{"kubelet", "kubeadm", "kubectl", "kube-proxy", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}

// otherGroups do not depend on the version of Kubernetes. The dependencies of those in hack/kind/modules conflict with
// ours.
var otherGroups = []group{
	{dir: ".", packages: []string{"./hack/kind/images/pause", "./hack/kind/images/etcd", "./hack/kind/images/echo", "./hack/kind/images/podnet", "./hack/kind/images/volumes"}},
	{dir: "hack/kind/modules/containerd", args: []string{"-tags", "no_btrfs no_zfs no_devmapper"}, packages: []string{
		"github.com/containerd/containerd/v2/cmd/containerd", "github.com/containerd/containerd/v2/cmd/ctr",
		"github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2",
	}},
	{dir: "hack/kind/modules/cni", packages: []string{
		"github.com/containernetworking/plugins/plugins/ipam/host-local", "github.com/containernetworking/plugins/plugins/main/loopback",
		"github.com/containernetworking/plugins/plugins/main/ptp", "github.com/containernetworking/plugins/plugins/meta/portmap",
	}},
	{dir: "hack/kind/modules/coredns", packages: []string{"."}},
	{dir: "hack/kind/modules/k8s-dns-node-cache", packages: []string{"."}},
}

// buildPrograms builds all programs into the returned directory.
func (b *builder) buildPrograms(ctx context.Context) (string, error) {
	bin := filepath.Join(b.dir, "bin")
	if err := b.buildKubernetes(ctx, bin, b.kubernetes, kubernetesPrograms...); err != nil {
		return "", err
	}
	for _, g := range otherGroups {
		if err := b.build(ctx, bin, g); err != nil {
			return "", err
		}
	}
	return bin, nil
}

// buildKubernetes builds programs that report the given version. The programs need a few more modules than this
// repository. Their sums are added to a copy of go.mod and go.sum, so that all versions are those of go.mod.
func (b *builder) buildKubernetes(ctx context.Context, bin, version string, names ...string) error {
	modfile := filepath.Join(b.dir, "kubernetes.mod")
	for from, to := range map[string]string{"go.mod": modfile, "go.sum": strings.TrimSuffix(modfile, ".mod") + ".sum"} {
		data, err := os.ReadFile(filepath.Join(b.repo, from))
		if err != nil {
			return fmt.Errorf("read modules: %w", err)
		}
		if err := os.WriteFile(to, data, 0o644); err != nil {
			return fmt.Errorf("write modules: %w", err)
		}
	}
	g := group{dir: ".", args: []string{"-modfile", modfile, "-mod=mod"}, ldflags: versionFlags(version)}
	for _, name := range names {
		g.packages = append(g.packages, "k8s.io/kubernetes/cmd/"+name)
	}
	return b.build(ctx, bin, g)
}

func (b *builder) build(ctx context.Context, bin string, g group) error {
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return fmt.Errorf("make directory for programs: %w", err)
	}
	logf("building %s", strings.Join(g.packages, " "))
	args := append([]string{"build", "-trimpath", "-p", strconv.Itoa(b.jobs), "-ldflags", strings.TrimSpace("-s -w " + g.ldflags)}, g.args...)
	args = append(args, "-o", bin+"/")
	_, err := output(ctx, filepath.Join(b.repo, g.dir), "go", append(args, g.packages...)...)
	return err
}

// versionFlags set the version that a Kubernetes program reports, such as v1.36.3.
func versionFlags(version string) string {
	const pkg = "k8s.io/component-base/version"
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	return fmt.Sprintf("-X %s.gitVersion=%s -X %s.gitMajor=%s -X %s.gitMinor=%s -X %s.gitTreeState=clean",
		pkg, version, pkg, parts[0], pkg, parts[1], pkg)
}
