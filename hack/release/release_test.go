package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/embedded/imagestore"
	"github.com/gardener-up/gardener-up/hack/release/spdx"
	"github.com/gardener-up/gardener-up/hack/sandbox/programs"
)

// standIn is a small program that has what the release needs of the binary: it embeds a program, and writes man pages and completions.
var standIn = map[string]string{
	"go.mod":  "module example.org/standin\n\ngo 1.26.0\n",
	"LICENSE": "a license\n",
	"main.go": `package main

import (
	_ "embed"
	"os"
)

//go:embed bin/inner.zst
var inner string

var version string

func main() {
	switch os.Args[1] {
	case "man":
		check(os.MkdirAll(os.Args[2], 0o755))
		check(os.WriteFile(os.Args[2]+"/standin.1", []byte("manual of "+version), 0o644))
	case "version":
		os.Stdout.WriteString("STANDIN\n" + version + "\n")
	case "completion":
		os.Stdout.WriteString("completion for " + os.Args[2])
	default:
		os.Stdout.WriteString(inner)
	}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
`,
	"inner/go.mod":  "module example.org/inner\n\ngo 1.26.0\n",
	"inner/main.go": "package main\n\nfunc main() { println(\"inner\") }\n",
	"bin/inner.zst": "what the working tree has, which is no program",
}

// made makes a release of the stand-in, whose sources are in a directory of their own each time.
func made(t *testing.T) *release {
	t.Helper()
	root := t.TempDir()
	for name, text := range standIn {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	r := &release{
		Root: root, Package: ".", Name: "standin", Version: "v1.2.3-dev.1", LDFlags: "-s -w -X main.version=v1.2.3-dev.1",
		Architectures: []string{"amd64", "arm64"}, Directory: filepath.Join(root, "out", "release"), Documents: []string{"LICENSE"},
		Embedded:    []programs.Program{{Module: "inner", Package: ".", Target: "bin/inner.zst"}},
		Description: "Something small", Homepage: "https://example.org/standin", License: "Apache-2.0", Maintainer: "Nobody <nobody@example.org>",
	}
	if err := r.setTime("1700000000"); err != nil {
		t.Fatal(err)
	}
	if err := r.make(t.Output()); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestRelease(t *testing.T) {
	// A release downloads nothing. On a machine that makes its first one, the test gets the modules of the packager beforehand.
	download := exec.Command("go", "build", "-o", os.DevNull, ".")
	download.Dir = packager()
	if output, err := download.CombinedOutput(); err != nil {
		t.Fatalf("build the packager: %v\n%s", err, output)
	}
	first, second := made(t), made(t)
	t.Run("APP-37 the same sources in another place give the same files", func(t *testing.T) {
		if diff := cmp.Diff(read(t, first.file(sumsFile)), read(t, second.file(sumsFile))); diff != "" {
			t.Errorf("digests (-first +second):\n%s", diff)
		}
	})
	t.Run("APP-37 all files are there with their digests", func(t *testing.T) {
		want := []string{
			"standin-1.2.3~dev.1-1.aarch64.rpm", "standin-1.2.3~dev.1-1.x86_64.rpm", "standin-v1.2.3-dev.1-image.tar",
			"standin-v1.2.3-dev.1-linux-amd64", "standin-v1.2.3-dev.1-linux-amd64.spdx.json",
			"standin-v1.2.3-dev.1-linux-arm64", "standin-v1.2.3-dev.1-linux-arm64.spdx.json", "standin.rb",
			"standin_1.2.3~dev.1_amd64.deb", "standin_1.2.3~dev.1_arm64.deb",
			"standin_v1.2.3-dev.1_linux_amd64.tar.gz", "standin_v1.2.3-dev.1_linux_arm64.tar.gz",
		}
		var got []string
		for line := range strings.Lines(read(t, first.file(sumsFile))) {
			digest, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
			if actual, err := digestOf(first.file(name)); err != nil || actual != digest {
				t.Errorf("%s has digest %s, %v; the list says %s", name, actual, err, digest)
			}
			got = append(got, name)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("files (-want +got):\n%s", diff)
		}
	})
	t.Run("APP-36 APP-37 sha256sum accepts the files, and none that has changed", func(t *testing.T) {
		check := func() (string, error) {
			command := exec.Command("sha256sum", "-c", sumsFile)
			command.Dir = second.Directory
			output, err := command.CombinedOutput()
			return string(output), err
		}
		if output, err := check(); err != nil || strings.Count(output, ": OK\n") != 12 {
			t.Errorf("%v:\n%s", err, output)
		}
		if err := os.WriteFile(second.file("standin.rb"), []byte("another formula"), 0o644); err != nil {
			t.Fatal(err)
		}
		if output, err := check(); err == nil || !strings.Contains(output, "standin.rb: FAILED\n") {
			t.Errorf("of a changed file it says, with %v:\n%s", err, output)
		}
	})
	t.Run("APP-37 a binary embeds the program of its architecture", func(t *testing.T) {
		for _, architecture := range first.Architectures {
			inner := filepath.Join(t.TempDir(), "inner.zst")
			if err := programs.Compile(filepath.Join(first.Root, "inner"), ".", architecture, inner); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(read(t, first.file("standin-v1.2.3-dev.1-linux-"+architecture)), read(t, inner)) {
				t.Errorf("the binary for %s does not embed the program for it", architecture)
			}
		}
	})
	t.Run("APP-37 packages hold manuals and completions", func(t *testing.T) { checkPackages(t, first) })
	t.Run("APP-37 the image loads", func(t *testing.T) {
		store, err := imagestore.Open(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		records, err := store.Load(first.file("standin-v1.2.3-dev.1-image.tar"), "")
		if err != nil || len(records) != 1 || records[0].Reference != "gardener.local/gardener:v1.2.3-dev.1" {
			t.Errorf("loaded %v, %v; want the image of this version", records, err)
		}
	})
	t.Run("APP-37 the list of modules names what is embedded", func(t *testing.T) {
		var document spdx.Document
		if err := json.Unmarshal([]byte(read(t, first.file("standin-v1.2.3-dev.1-linux-arm64.spdx.json"))), &document); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, p := range document.Packages {
			got = append(got, p.Name+" "+p.VersionInfo)
		}
		version := strings.TrimPrefix(runtime.Version(), "go")
		if diff := cmp.Diff([]string{"standin v1.2.3-dev.1", "stdlib " + version, "inner "}, got); diff != "" {
			t.Errorf("packages (-want +got):\n%s", diff)
		}
	})
	t.Run("APP-37 the formula has the digests of the archives", func(t *testing.T) {
		text := read(t, first.file("standin.rb"))
		for _, architecture := range first.Architectures {
			digest, err := digestOf(first.file(first.archiveName(architecture) + ".tar.gz"))
			if err != nil {
				t.Fatal(err)
			}
			url := `url "https://example.org/standin/releases/download/v1.2.3-dev.1/standin_v1.2.3-dev.1_linux_` + architecture + `.tar.gz"`
			if !strings.Contains(text, url+"\n    sha256 \""+digest+`"`) {
				t.Errorf("the formula lacks %s with digest %s:\n%s", url, digest, text)
			}
		}
	})
}

func checkPackages(t *testing.T, r *release) {
	deb := files(t, member(t, read(t, r.file("standin_1.2.3~dev.1_arm64.deb")), "data.tar.gz"))
	if deb["./usr/bin/standin"] != read(t, r.file("standin-v1.2.3-dev.1-linux-arm64")) {
		t.Error("the package for arm64 does not hold the binary for it")
	}
	for name, want := range map[string]string{
		"./usr/share/bash-completion/completions/standin":           "completion for bash",
		"./usr/share/fish/vendor_completions.d/standin.fish":        "completion for fish",
		"./usr/share/zsh/vendor-completions/_standin":               "completion for zsh",
		"./usr/share/doc/standin/LICENSE":                           "a license\n",
		"./usr/share/man/man1/standin.1.gz":                         "manual of v1.2.3-dev.1",
		"standin_v1.2.3-dev.1_linux_arm64/man1/standin.1.gz":        "manual of v1.2.3-dev.1",
		"standin_v1.2.3-dev.1_linux_arm64/completions/zsh/_standin": "completion for zsh",
	} {
		from := deb
		if !strings.HasPrefix(name, "./") {
			from = files(t, read(t, r.file(r.archiveName("arm64")+".tar.gz")))
		}
		got := from[name]
		if strings.HasSuffix(name, ".gz") {
			got = uncompressed(t, got)
		}
		if got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

// TestTaken makes releases of a binary that was compiled before, which needs no compiler.
func TestTaken(t *testing.T) {
	root := t.TempDir()
	for name, text := range standIn {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	if err := programs.Compile(filepath.Join(root, "inner"), ".", runtime.GOARCH, filepath.Join(root, "bin/inner.zst")); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(root, "built")
	build := exec.Command("go", "build", "-trimpath", "-ldflags", "-X main.version=v1.2.3", "-o", binary, ".")
	build.Dir, build.Env = root, append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("build the stand-in: %v\n%s", err, output)
	}
	of := func(version string, architectures ...string) *release {
		return &release{
			Root: root, Package: "./nowhere", Name: "standin", Version: version, Binary: binary, Fast: true, Time: time.Unix(1700000000, 0).UTC(),
			Architectures: architectures, Directory: filepath.Join(t.TempDir(), "release"), Documents: []string{"LICENSE"},
			Embedded:    []programs.Program{{Module: "nowhere", Package: ".", Target: "bin/inner.zst"}},
			Description: "Something small", Homepage: "https://example.org/standin", License: "Apache-2.0", Maintainer: "Nobody <nobody@example.org>",
		}
	}
	t.Run("APP-37 a built binary is packed as it is", func(t *testing.T) {
		r := of("v1.2.3", runtime.GOARCH)
		if err := r.make(t.Output()); err != nil {
			t.Fatal(err)
		}
		if read(t, r.binaryOf(runtime.GOARCH)) != read(t, binary) {
			t.Error("the release has another binary")
		}
		packed := files(t, read(t, r.file(r.archiveName(runtime.GOARCH)+".tar.gz")))
		if packed[r.archiveName(runtime.GOARCH)+"/standin"] != read(t, binary) {
			t.Error("the archive has another binary")
		}
		deb := files(t, member(t, read(t, r.file("standin_1.2.3_"+runtime.GOARCH+".deb")), "data.tar.gz"))
		if deb["./usr/bin/standin"] != read(t, binary) {
			t.Error("the package has another binary")
		}
		if list := read(t, r.binaryOf(runtime.GOARCH)+".spdx.json"); !strings.Contains(list, `"name": "inner"`) {
			t.Errorf("the list of modules lacks what is embedded:\n%s", list)
		}
		if listed := strings.Count(read(t, r.file(sumsFile)), "\n"); listed != 7 {
			t.Errorf("%d files are listed, want 7:\n%s", listed, read(t, r.file(sumsFile)))
		}
	})
	t.Run("APP-37 a built binary of another version is refused", func(t *testing.T) {
		if err := of("v1.2", runtime.GOARCH).make(t.Output()); err == nil || !strings.Contains(err.Error(), "is not of version v1.2") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("APP-37 a built binary is for one architecture", func(t *testing.T) {
		if err := of("v1.2.3", "amd64", "arm64").make(t.Output()); err == nil || !strings.Contains(err.Error(), "is for one architecture") {
			t.Errorf("error %v", err)
		}
	})
}

func TestRefused(t *testing.T) {
	for name, r := range map[string]*release{
		"APP-37 no version":               {Architectures: []string{runtime.GOARCH}},
		"APP-37 changes without a commit": {Version: "v1.0.0-dev.1.gabcdef.dirty", Architectures: []string{runtime.GOARCH}},
		"APP-37 no binary that runs here": {Version: "v1.0.0", Architectures: []string{"riscv64"}},
	} {
		t.Run(name, func(t *testing.T) {
			r.Directory = filepath.Join(t.TempDir(), "release")
			if err := r.make(io.Discard); err == nil {
				t.Error("a release was made")
			}
			if _, err := os.Stat(r.Directory); !errors.Is(err, os.ErrNotExist) {
				t.Error("something was written")
			}
		})
	}
	t.Run("APP-37 a binary for another architecture", func(t *testing.T) {
		self, err := os.Executable()
		if err != nil {
			t.Fatal(err)
		}
		if err := static(program{Path: self, Architecture: runtime.GOARCH}); err != nil {
			t.Errorf("this test is no static binary for %s: %v", runtime.GOARCH, err)
		}
		other := map[string]string{"amd64": "arm64", "arm64": "amd64"}[runtime.GOARCH]
		if static(program{Path: self, Architecture: other}) == nil {
			t.Errorf("this test passes for a binary for %s", other)
		}
	})
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// member returns a file of an archive in the format of ar, whose headers have 60 bytes.
func member(t *testing.T, archive, name string) string {
	t.Helper()
	rest := strings.TrimPrefix(archive, "!<arch>\n")
	for len(rest) >= 60 {
		size := 0
		for _, digit := range strings.TrimSpace(rest[48:58]) {
			size = 10*size + int(digit-'0')
		}
		if strings.HasPrefix(rest, name) {
			return rest[60 : 60+size]
		}
		rest = rest[60+size+size%2:]
	}
	t.Fatalf("the archive has no %s", name)
	return ""
}

func uncompressed(t *testing.T, content string) string {
	t.Helper()
	reader, err := gzip.NewReader(strings.NewReader(content))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return string(plain)
}

// files are those of a compressed archive.
func files(t *testing.T, archive string) map[string]string {
	t.Helper()
	all := map[string]string{}
	for reader := tar.NewReader(strings.NewReader(uncompressed(t, archive))); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		var content bytes.Buffer
		if _, err := io.Copy(&content, reader); err != nil {
			t.Fatal(err)
		}
		all[header.Name] = content.String()
	}
}
