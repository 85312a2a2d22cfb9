package main

import (
	"os"
	"path/filepath"
	"regexp"
	"testing"
)

// TestModulesFollow compares the modules of hack/kind with what kind and kubeadm of go.mod name: who upgrades one sees the other.
func TestModulesFollow(t *testing.T) {
	in, err := readInputs(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	kubernetesDir, err := output(t.Context(), in.repo, "go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/kubernetes")
	if err != nil {
		t.Fatal(err)
	}
	dockerfile := filepath.Join(in.kindDir, "images", "base", "Dockerfile")
	constants := filepath.Join(kubernetesDir, "cmd", "kubeadm", "app", "constants", "constants.go")
	for name, tc := range map[string]struct{ file, pattern, module, dir string }{
		"containerd is that of kind":        {dockerfile, `CONTAINERD_VERSION="(v[^"]+)"`, "github.com/containerd/containerd/v2", "containerd"},
		"the CNI plugins are those of kind": {dockerfile, `CNI_PLUGINS_VERSION="(v[^"]+)"`, "github.com/containernetworking/plugins", "cni"},
		"CoreDNS is that of kubeadm":        {constants, `CoreDNSVersion = "(v[^"]+)"`, "github.com/coredns/coredns", "coredns"},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := os.ReadFile(tc.file)
			if err != nil {
				t.Fatal(err)
			}
			match := regexp.MustCompile(tc.pattern).FindSubmatch(data)
			if match == nil {
				t.Fatalf("%s has no %s", tc.file, tc.pattern)
			}
			got, err := output(t.Context(), filepath.Join(in.repo, "hack", "kind", "modules", tc.dir), "go", "list", "-m", "-f", "{{.Version}}", tc.module)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(match[1]) {
				t.Errorf("hack/kind/modules/%s has %s, want %s", tc.dir, got, match[1])
			}
		})
	}
}
