package faults

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/e2e/documents/follow"
	"github.com/gardener-up/gardener-up/e2e/framework"
)

// TestLostState takes away, one after the other, what a landscape cannot make again.
func TestLostState(t *testing.T) {
	l := framework.New(t)
	l.Gardener("up")
	l.Kubectl(l.Garden(), "create", "secret", "generic", "kept", "--from-literal=key=value")
	const uid = "jsonpath={.metadata.uid} {.data.key}"
	before := l.Kubectl(l.Garden(), "get", "secret", "kept", "-o", uid)
	profile := l.Kubectl(l.Garden(), "get", "cloudprofile", "local", "-o", uid)
	l.Gardener("down")

	aside := filepath.Join(l.Dir, "aside")
	for name, tc := range map[string]struct {
		damage func(t *testing.T, path string)
		path   string
		said   string
	}{
		"encryption key":                 {remove, "pki/garden/encryption.yaml", "pki/garden/encryption.yaml is missing: without it, Secrets"},
		"CA":                             {remove, "pki/garden/ca.key", "pki/garden/ca.key is missing"},
		"client CA":                      {remove, "pki/garden/client-ca.key", "pki/garden/client-ca.key is missing"},
		"key of service accounts":        {remove, "pki/seed/service-account.key", "pki/seed/service-account.key is missing"},
		"all keys":                       {remove, "pki", "pki/garden/encryption.yaml is missing"},
		"garbled CA":                     {garble, "pki/garden/ca.key", "pki/garden/ca.key is damaged"},
		"data of all etcds":              {remove, "etcd", "etcd/etcd-garden has no data"},
		"data of the garden":             {remove, "etcd/etcd-garden", "etcd/etcd-garden has no data: without it, all objects in the cluster \"garden\" are lost"},
		"database of the seed":           {cut(40960), "etcd/etcd-seed/member/snap/db", "etcd/etcd-seed cannot be used"},
		"write-ahead log of the garden":  {remove, "etcd/etcd-garden/member/wal", "etcd/etcd-garden cannot be used"},
		"store":                          {remove, "appliance.db", "appliance.db is missing"},
		"content of the store":           {empty, "appliance.db", "appliance.db is empty"},
		"the end of the store":           {cut(600), "appliance.db", "appliance.db has lost some of its content"},
		"store and all data of etcd":     {func(t *testing.T, path string) { remove(t, path); remove(t, filepath.Join(filepath.Dir(path), "etcd")) }, "appliance.db", "appliance.db is missing"},
		"a store that holds other bytes": {garble, "appliance.db", "appliance.db is damaged"},
	} {
		t.Run("APP-4 "+name+" refuses the start with the cure", func(t *testing.T) {
			l := l.For(t)
			keep(t, l.StateDir, aside)
			tc.damage(t, filepath.Join(l.StateDir, tc.path))
			damaged := list(t, l.StateDir)
			r := l.Run("up")
			if r.Code != 7 || !strings.Contains(r.Stderr, tc.said) || !strings.Contains(r.Stderr, "hint:") || !strings.Contains(r.Stderr, "backup") {
				t.Errorf("up ends with %d: %s%s", r.Code, r.Stdout, r.Stderr)
			}
			if l.Daemon() != 0 {
				t.Error("a daemon runs")
			}
			if after := list(t, l.StateDir); after != damaged {
				t.Errorf("files were\n%s\nare\n%s", damaged, after)
			}
			keep(t, aside, l.StateDir)
		})
	}
	t.Run("APP-4 the command in the hint puts the store back", func(t *testing.T) {
		l := l.For(t)
		remove(t, filepath.Join(l.StateDir, "appliance.db"))
		_, command, offered := strings.Cut(l.Run("up").Stderr, "put them back:\n")
		if !offered || !strings.Contains(command, "cp -p ") || !strings.Contains(command, filepath.Join("last-good", "appliance.db")) {
			t.Fatalf("the command that is offered: %q", command)
		}
		if out, err := exec.Command("sh", "-c", command).CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", command, err, out)
		}
	})
	t.Run("APP-4 the commands in the hint restore the data of etcds", func(t *testing.T) {
		l := l.For(t)
		remove(t, filepath.Join(l.StateDir, "etcd"))
		_, commands, _ := strings.Cut(l.Run("up").Stderr, "put them back:\n")
		for _, etcd := range []string{"etcd-garden", "etcd-seed"} {
			command := "gardener etcd restore " + etcd + " --state-dir '" + l.StateDir + "'"
			if !strings.Contains(commands, command) {
				t.Fatalf("%s is not offered: %s", command, commands)
			}
			if r := l.Run("etcd", "restore", etcd, "--state-dir", l.StateDir); r.Code != 2 || !strings.Contains(r.Stderr, "--yes") {
				t.Errorf("unconfirmed, it ends with %d: %s", r.Code, r.Stderr)
			}
			l.Gardener("etcd", "restore", etcd, "--state-dir", l.StateDir, "--yes")
		}
	})
	t.Run("APP-4 OPR-15 what can be made again is made again, and the one etcd of the garden has the data of both API servers", func(t *testing.T) {
		l := l.For(t)
		for _, path := range []string{"kubeconfigs", "settings", "pki/etcd", "pki/garden/kube-apiserver.crt", "pki/garden/kube-apiserver.key", "etcd/record.json", "last-good"} {
			remove(t, filepath.Join(l.StateDir, path))
		}
		l.Gardener("up")
		if after := l.Kubectl(l.Garden(), "get", "secret", "kept", "-o", uid); after != before {
			t.Errorf("the Secret is %s, was %s", after, before)
		}
		if after := l.Kubectl(l.Garden(), "get", "cloudprofile", "local", "-o", uid); after != profile {
			t.Errorf("the CloudProfile is %s, was %s", after, profile)
		}
		for _, path := range []string{"etcd/record.json", "last-good/appliance.db"} {
			if _, err := os.Stat(filepath.Join(l.StateDir, path)); err != nil {
				t.Error(err)
			}
		}
	})
	t.Run("APP-4 a key that is removed while the landscape runs is not made again", func(t *testing.T) {
		l := l.For(t)
		key := filepath.Join(l.StateDir, "pki", "garden", "client-ca.key")
		content, err := os.ReadFile(key)
		if err != nil {
			t.Fatal(err)
		}
		remove(t, key)
		if r := l.Run("kubeconfig", "garden", "--break-glass", "--expiration=10m"); r.Code == 0 || !strings.Contains(r.Stderr, "client-ca.key") {
			t.Errorf("ends with %d: %s", r.Code, r.Stderr)
		}
		if _, err := os.Stat(key); err == nil {
			t.Error("another key was made")
		}
		if err := os.WriteFile(key, content, 0o600); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("APP-4 an etcd goes back to its snapshots, and a running one is left alone", func(t *testing.T) {
		l := l.For(t)
		if r := l.Run("etcd", "restore", "etcd-garden", "--yes"); r.Code != 4 {
			t.Errorf("while it runs, it ends with %d: %s", r.Code, r.Stderr)
		}
		follow.New(t, l).Follow(t, "docs/configuration.md", follow.Steps(t, "docs/configuration.md", "e2e/faults"))
		if after := l.Kubectl(l.Garden(), "get", "secret", "kept", "-o", uid); after != before {
			t.Errorf("the Secret is %s, was %s", after, before)
		}
		if former, err := filepath.Glob(filepath.Join(l.StateDir, "etcd", "etcd-garden.*")); err != nil || len(former) != 1 {
			t.Errorf("former data are in %v, %v", former, err)
		}
	})
}

func remove(t *testing.T, path string) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
}

func garble(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("these are other bytes\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func empty(t *testing.T, path string) {
	t.Helper()
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
}

// cut leaves the first bytes of a file.
func cut(size int64) func(*testing.T, string) {
	return func(t *testing.T, path string) {
		t.Helper()
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
	}
}

// kept is what the test damages.
var kept = []string{"appliance.db", "pki", "etcd"}

// keep replaces what the test damages by that of another directory.
func keep(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range kept {
		remove(t, filepath.Join(to, name))
		if out, err := exec.Command("cp", "-a", filepath.Join(from, name), to).CombinedOutput(); err != nil {
			t.Fatalf("copy %s: %v\n%s", name, err, out)
		}
	}
}

// list names the files that the test damages, with their sizes and times.
func list(t *testing.T, dir string) string {
	t.Helper()
	var lines []string
	for _, name := range kept {
		_ = filepath.WalkDir(filepath.Join(dir, name), func(path string, entry os.DirEntry, err error) error {
			if err == nil && !entry.IsDir() {
				info, err := entry.Info()
				if err != nil {
					t.Fatal(err)
				}
				lines = append(lines, path+" "+info.ModTime().String())
			}
			return nil
		})
	}
	return strings.Join(lines, "\n")
}
