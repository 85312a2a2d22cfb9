package machine

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	"k8s.io/utils/ptr"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/embedded/testwait"
	"github.com/gardener-up/gardener-up/local/userdata"
)

const keptUnit = "[Service]\nExecStart=/opt/bin/kubelet --v=2\n"

// kept is a machine that has booted from a document with these files.
func kept(t *testing.T, files ...userdata.File) *Keeper {
	t.Helper()
	dir := t.TempDir()
	k := &Keeper{root: filepath.Join(dir, "root"), userData: filepath.Join(dir, "boot", "userdata")}
	if err := os.Mkdir(filepath.Dir(k.userData), 0o700); err != nil {
		t.Fatal(err)
	}
	giveUserData(t, k, "class", files...)
	args, err := Prepare(Options{UserData: k.userData, Root: k.root, NodeName: "node", NodeIP: "127.0.0.1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, arg := range args {
		if value, ok := strings.CutPrefix(arg, "--booted-from="); ok {
			k.booted = value
		}
	}
	if !slices.Contains(args, "--machine-root="+k.root) || !slices.Contains(args, "--user-data="+k.userData) || k.booted == "" {
		t.Fatalf("arguments of the kubelet are %v", args)
	}
	return k
}

// giveUserData writes user data as the Secret of the machine's pod would contain it.
func giveUserData(t *testing.T, k *Keeper, class string, files ...userdata.File) {
	t.Helper()
	document := userdata.Document{Purpose: "provision", Files: files, Units: []userdata.Unit{{Name: kubeletUnit, Content: keptUnit}}}
	data, err := document.Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range secretData(class, data) {
		if err := os.WriteFile(filepath.Join(filepath.Dir(k.userData), name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestKeep(t *testing.T) {
	k := kept(t, userdata.NewFile(keysPath, 0, []byte("current\nold\n")), userdata.NewFile("/etc/gone", 0, []byte("x")))
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); k.Keep(ctx, logr.Discard()) }()
	defer func() { cancel(); <-done }()
	await := func(path, want string) {
		t.Helper()
		testwait.For(t, time.Minute, path, func() error {
			data, err := os.ReadFile(filepath.Join(k.root, path))
			if want == "" && errors.Is(err, os.ErrNotExist) {
				return nil
			}
			if string(data) != want {
				return fmt.Errorf("it contains %q, %v, want %q", data, err, want)
			}
			return nil
		})
	}
	t.Run("BST-14 the user for SSH gets the keys", func(t *testing.T) { await(keysOfUser, "current\nold\n") })
	t.Run("BST-12 BST-14 a third key takes the place of the first", func(t *testing.T) {
		giveUserData(t, k, "class", userdata.NewFile(keysPath, 0, []byte("newest\ncurrent\n")))
		await(keysOfUser, "newest\ncurrent\n")
		await("/etc/gone", "")
	})
	t.Run("a shoot without SSH leaves no key", func(t *testing.T) {
		giveUserData(t, k, "class")
		await(keysOfUser, "")
	})
}

func TestWriteKeys(t *testing.T) {
	k := kept(t, userdata.NewFile(keysPath, 0, []byte("key\n")))
	if err := k.writeKeys(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(k.root, keysOfUser)
	if err := os.WriteFile(path, []byte("stranger\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := k.writeKeys(); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(path); err != nil || string(data) != "key\n" {
		t.Errorf("BST-14 the keys are %q, %v", data, err)
	}
}

func TestApply(t *testing.T) {
	file := func(path, content string) extensionsv1alpha1.File {
		return extensionsv1alpha1.File{Path: path, Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: content}}}
	}
	unit := func(content string) []extensionsv1alpha1.Unit {
		return []extensionsv1alpha1.Unit{{Name: kubeletUnit, Content: &content}}
	}
	document := []userdata.File{userdata.NewFile("/etc/a", 0, []byte("a")), userdata.NewFile(tokenPath, 0o600, []byte("token"))}
	program := extensionsv1alpha1.File{Path: "/opt/x", Content: extensionsv1alpha1.FileContent{ImageRef: &extensionsv1alpha1.FileContentImageRef{Image: "x"}}}
	for name, tc := range map[string]struct {
		files []extensionsv1alpha1.File
		units []extensionsv1alpha1.Unit
		want  string // of the error
	}{
		"BST-15 a machine has what its user data contains": {[]extensionsv1alpha1.File{file("/etc/a", "a")}, unit(keptUnit), ""},
		"another content":                         {[]extensionsv1alpha1.File{file("/etc/a", "b")}, unit(keptUnit), "another /etc/a"},
		"a file of the kubelet":                   {[]extensionsv1alpha1.File{file("/etc/a", "a"), file("/var/lib/kubelet/pki/x", "b")}, unit(keptUnit), "add file /var/lib/kubelet/pki/x"},
		"a file below one of the machine's":       {[]extensionsv1alpha1.File{file("/etc/a", "a"), file("/etc/a/../a/b", "b")}, unit(keptUnit), "add file /etc/a/../a/b"},
		"a path that is not absolute":             {[]extensionsv1alpha1.File{file("/etc/a", "a"), file("etc/b", "b")}, unit(keptUnit), "absolute"},
		"a file that the shoot does not want":     {nil, unit(keptUnit), "another /etc/a"},
		"another unit":                            {[]extensionsv1alpha1.File{file("/etc/a", "a")}, unit("[Unit]"), "another kubelet.service"},
		"a program of an image, which this is":    {[]extensionsv1alpha1.File{file("/etc/a", "a"), program}, unit(keptUnit), ""},
		"content that nobody can read is refused": {[]extensionsv1alpha1.File{{Path: "/etc/a", Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Encoding: "rot13"}}}}, nil, "rot13"},
	} {
		t.Run(name, func(t *testing.T) {
			err := kept(t, document...).Apply(tc.files, tc.units)
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("error is %v, want %q", err, tc.want)
			}
		})
	}
	t.Run("BST-13 a machine that boots again has nothing yet", func(t *testing.T) {
		k := kept(t, document...)
		giveUserData(t, k, "another class", document...)
		if err := k.Apply([]extensionsv1alpha1.File{file("/etc/a", "a")}, unit(keptUnit)); !errors.Is(err, errBootsAgain) {
			t.Errorf("error is %v", err)
		}
	})
}

func TestAdditions(t *testing.T) {
	outside := filepath.Join(t.TempDir(), "outside")
	k := kept(t, userdata.NewFile("/etc/a", 0, []byte("a")))
	own := extensionsv1alpha1.File{Path: "/etc/a", Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: "a"}}}
	add := func(files ...extensionsv1alpha1.File) error {
		return k.Apply(append(files, own), []extensionsv1alpha1.Unit{{Name: kubeletUnit, Content: ptr.To(keptUnit)}})
	}
	hosts := func(content string) extensionsv1alpha1.File {
		return extensionsv1alpha1.File{Path: "/etc/containerd/hosts.toml", Permissions: ptr.To[uint32](0o4600), Content: extensionsv1alpha1.FileContent{Inline: &extensionsv1alpha1.FileContentInline{Data: content}}}
	}
	path := filepath.Join(k.root, "etc/containerd/hosts.toml")
	for _, content := range []string{"one", "two", "two"} {
		if err := add(hosts(content)); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if info, statErr := os.Stat(path); err != nil || string(data) != content || statErr != nil || info.Mode() != 0o600 {
			t.Errorf("EXT-14 file of an extension: %q, %v, %v", data, err, info)
		}
	}
	if err := add(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("EXT-14 the file stays without its extension: %v", err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(k.root, "etc", "link")); err != nil {
		t.Fatal(err)
	}
	escape := hosts("stranger")
	escape.Path = "/etc/link/outside"
	if err := add(escape); err == nil {
		t.Error("a link leads out of the machine")
	}
	if _, err := os.Stat(outside); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file is written outside of the machine: %v", err)
	}
}
