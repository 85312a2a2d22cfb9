package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTagsFollowInputs(t *testing.T) {
	base := inputs{kind: "v0.33.0", kubernetes: "v1.36.3", etcd: "v3.6.8", goVersion: "go1.26", sources: "a"}
	for name, change := range map[string]func(*inputs){
		"another kind":              func(in *inputs) { in.kind = "v0.34.0" },
		"another Kubernetes":        func(in *inputs) { in.kubernetes = "v1.36.4" },
		"another etcd":              func(in *inputs) { in.etcd = "v3.6.9" },
		"another Go":                func(in *inputs) { in.goVersion = "go1.27" },
		"a host that lacks a right": func(in *inputs) { in.restricted = true },
		"rarer collections":         func(in *inputs) { in.gogc = "400" },
		"another file in hack/kind": func(in *inputs) { in.sources = "b" },
	} {
		t.Run(name+" gives another tag", func(t *testing.T) {
			in := base
			change(&in)
			if in.nodeTag() == base.nodeTag() {
				t.Errorf("both have %s", in.nodeTag())
			}
		})
	}
	t.Run("directories do not matter", func(t *testing.T) {
		in := base
		in.repo, in.kindDir = "/elsewhere", "/cache"
		if diff := cmp.Diff(base.nodeTag(), in.nodeTag()); diff != "" {
			t.Errorf("tag (-want +got):\n%s", diff)
		}
	})
	t.Run("a variant is named after its node image", func(t *testing.T) {
		if diff := cmp.Diff(base.nodeTag()+"-v1.35.7", base.variantTag("v1.35.7")); diff != "" {
			t.Errorf("tag (-want +got):\n%s", diff)
		}
	})
}

func TestRareCollections(t *testing.T) {
	for own, want := range map[string]string{"": "", "off": "", "50": "", "100": "", "101": "101", "400": "400"} {
		if got := rareCollections(own); got != want {
			t.Errorf("with GOGC=%s nodes have %q, want %q", own, got, want)
		}
	}
	for gogc, want := range map[string][]string{"": {programPath}, "400": {programPath, "GOGC=400"}} {
		if diff := cmp.Diff(want, (&builder{inputs: inputs{gogc: gogc}}).environment()); diff != "" {
			t.Errorf("environment of containers (-want +got):\n%s", diff)
		}
	}
}

func TestHashTree(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	hash := func() string {
		t.Helper()
		h, err := hashTree(dir)
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	write("images/echo/main.go", "1")
	before := hash()
	for _, name := range []string{"docker.sh", "nodeimage/x_test.go", "runtime/main.go"} {
		write(name, "host only")
		if hash() != before {
			t.Errorf("%s changes the hash although it does not go into the image", name)
		}
	}
	write("images/echo/main.go", "2")
	if hash() == before {
		t.Error("a changed source does not change the hash")
	}
}

func TestParse(t *testing.T) {
	for name, tc := range map[string]struct {
		args    []string
		wantErr bool
	}{
		"no flags are fine":                     {},
		"a label is a version":                  {args: []string{"--kubernetes-version-label=v1.35.7"}},
		"a label without v is refused":          {args: []string{"--kubernetes-version-label=1.35.7"}, wantErr: true},
		"a label that is no version is refused": {args: []string{"--kubernetes-version-label=old"}, wantErr: true},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := parse(tc.args)
			if (err != nil) != tc.wantErr {
				t.Fatalf("error %v, want error %v", err, tc.wantErr)
			}
			if err == nil && !filepath.IsAbs(o.dir) {
				t.Errorf("directory %q is not absolute", o.dir)
			}
		})
	}
}

func TestNames(t *testing.T) {
	for name, tc := range map[string]struct{ got, want string }{
		"the program of an image is its last name":       {programOf("registry.k8s.io/coredns/coredns:v1.14.2"), "coredns"},
		"a port in the registry is no tag":               {programOf("localhost:5000/etcd:3.6.8-0"), "etcd"},
		"the pause image is found by its program":        {pauseName([]image{{names: []string{"r/etcd:1"}}, {names: []string{"r/pause:3.10"}}}), "r/pause:3.10"},
		"version flags set version, major, minor, state": {versionFlags("v1.36.3"), "-X k8s.io/component-base/version.gitVersion=v1.36.3 -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=36 -X k8s.io/component-base/version.gitTreeState=clean"},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tc.got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestSourceDirsHaveAllThatProgramsImport(t *testing.T) {
	const module = "github.com/gardener-up/gardener-up/"
	list, err := exec.Command("go", "list", "-deps", "../images/...").Output()
	if err != nil {
		t.Fatal(err)
	}
	for imported := range strings.FieldsSeq(string(list)) {
		dir, ours := strings.CutPrefix(imported, module)
		if ours && !slices.ContainsFunc(sourceDirs, func(source string) bool { return dir == source || strings.HasPrefix(dir, source+"/") }) {
			t.Errorf("a program of the image imports %s, changes of which make no new image", dir)
		}
	}
}
