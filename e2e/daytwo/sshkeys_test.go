package daytwo

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// announcement is the annotation by which a node says what it has applied.
const announcement = `checksum/cloud-config-data`

// announced checks that every node has announced the present configuration of its pool.
func (f *fixture) announced() {
	f.t.Helper()
	osc := f.get(f.shoot, []string{"-n", "kube-system", "secrets", "-l", "gardener.cloud/role=operating-system-config"}, `{.items[*].data.osc\.yaml}`)
	data, err := base64.StdEncoding.DecodeString(osc)
	if err != nil || len(data) == 0 {
		f.t.Fatalf("the configuration of the pool has %d bytes, %v", len(data), err)
	}
	sum := sha256.Sum256(data)
	want := hex.EncodeToString(sum[:])
	f.Eventually(time.Minute, "the nodes announce the configuration", func() (bool, string) {
		got := f.get(f.shoot, []string{"nodes"}, `{range .items[*]}{.metadata.annotations.checksum/cloud-config-data} {end}`)
		for _, one := range strings.Fields(got) {
			if one != want {
				return false, got
			}
		}
		return got != "", got
	})
}

// deferKeys asks for another SSH key while a node has announced another configuration than the present one.
func (f *fixture) deferKeys() {
	f.t.Helper()
	const later = `{.metadata.annotations.maintenance\.gardener\.cloud/operation}`
	before := f.ofShoot("{.status.credentials.rotation.sshKeypair.lastInitiationTime}")
	f.Kubectl(f.shoot, "annotate", "node", "--all", "--overwrite", announcement+"=former")
	f.lookAgain("first") // agents look every 30 s, and must not do so between the next two lines
	f.announced()
	f.Kubectl(f.shoot, "annotate", "node", "--all", "--overwrite", announcement+"=former")
	f.operate("rotate-ssh-keypair")
	f.Eventually(time.Minute, "the rotation is deferred", func() (bool, string) {
		got := f.ofShoot(later)
		return got == "rotate-ssh-keypair", got
	})
	if now := f.ofShoot("{.status.credentials.rotation.sshKeypair.lastInitiationTime}"); now != before {
		f.t.Errorf("the rotation was started at %s", now)
	}
	f.Kubectl(f.Garden(), "-n", project, "annotate", "shoot", "daytwo", "maintenance.gardener.cloud/operation-")
	f.lookAgain("again")
	f.announced()
}

// lookAgain wakes the node agents, each time by another word.
func (f *fixture) lookAgain(word string) {
	f.t.Helper()
	f.Kubectl(f.shoot, "-n", "kube-system", "annotate", "secrets", "-l", "gardener.cloud/role=operating-system-config", "--overwrite", "test/look="+word)
}

// authorizedKeys are the files of the user for SSH, one for each node.
func (f *fixture) authorizedKeys() []string {
	f.t.Helper()
	var files []string
	err := filepath.WalkDir(f.StateDir, func(path string, entry os.DirEntry, err error) error {
		if err == nil && strings.HasSuffix(path, "/home/gardener/.ssh/authorized_keys") {
			files = append(files, path)
		}
		return nil // files of pods come and go
	})
	if err != nil || len(files) == 0 {
		f.t.Fatalf("files are %v, %v", files, err)
	}
	return files
}

// acceptedKeys checks that the nodes accept the present and the former SSH key and no other, whatever somebody writes there.
func (f *fixture) acceptedKeys() {
	f.t.Helper()
	decode := func(name string) string {
		key, err := base64.StdEncoding.DecodeString(f.get(f.Garden(), []string{"-n", project, "secret", name}, `{.data.id_rsa\.pub}`))
		if err != nil {
			f.t.Fatal(err)
		}
		return string(key)
	}
	want := decode("daytwo.ssh-keypair") + decode("daytwo.ssh-keypair.old")
	await := func(t *testing.T, timeout time.Duration) {
		t.Helper()
		f.For(t).Eventually(timeout, "nodes accept the keys", func() (bool, string) {
			for _, path := range f.authorizedKeys() {
				if got, err := os.ReadFile(path); err != nil || string(got) != want {
					return false, string(got)
				}
			}
			return true, ""
		})
	}
	f.t.Run("BST-12 nodes accept the present and the former key", func(t *testing.T) { await(t, time.Minute) })
	f.t.Run("BST-14 what somebody else adds is taken back", func(t *testing.T) {
		for _, path := range f.authorizedKeys() {
			if err := os.WriteFile(path, []byte(want+"ssh-rsa AAAA stranger\n"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		await(t, 90*time.Second) // nodes look every 30 s
	})
}

// privateKey is a private key that users have.
func (f *fixture) privateKey(secret string) []byte {
	f.t.Helper()
	key, err := base64.StdEncoding.DecodeString(f.get(f.Garden(), []string{"-n", project, "secret", secret}, `{.data.id_rsa}`))
	if err != nil || len(key) == 0 {
		f.t.Fatalf("the private key in %s has %d bytes, %v", secret, len(key), err)
	}
	return key
}

// logIns logs in by the files of the nodes: with the present key, with the former one, and with the one before it, which has lost.
func (f *fixture) logIns(first, former state) {
	f.t.Run("BST-12 an SSH server refuses the key before the former one", func(t *testing.T) {
		for _, file := range f.authorizedKeys() {
			for _, key := range [][]byte{f.privateKey("daytwo.ssh-keypair"), f.privateKey("daytwo.ssh-keypair.old"), former.sshPrivate} {
				if err := login(t, file, key); err != nil {
					t.Errorf("a present or former key is refused: %v", err)
				}
			}
			if err := login(t, file, first.sshPrivate); err == nil {
				t.Error("the first key is accepted")
			}
		}
	})
}
