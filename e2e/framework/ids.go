package framework

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gardener-up/gardener-up/embedded/testskip"
)

// FirstSubordinate is the first subordinate ID of the user of NewAsUserWithIDs: the machine's number of user 1 in containers.
const FirstSubordinate = 700000

// subordinateFiles are what the user finds in /etc.
var subordinateFiles = []string{"subuid", "subgid"}

// userWithIDs is the name of the user of NewAsUserWithIDs.
const userWithIDs = "gardener-e2e"

// wrapper runs commands as a user whom the system has given subordinate IDs: in a mount namespace, so that the machine's own files stay as they are.
const wrapper = `#!/bin/sh
chown %[1]d:%[1]d "$HOME" "$HOME"/*
: >> /etc/subuid && : >> /etc/subgid || exit
exec unshare --mount --propagation private sh -c 'for file in passwd subuid subgid; do mount --bind "%[2]s/etc/$file" "/etc/$file" || exit; done
exec setpriv --reuid %[1]d --regid %[1]d --clear-groups "$0" "$@"' %[2]s/binary "$@"
`

// NewAsUserWithIDs makes a landscape whose commands all run as an unprivileged user with subordinate IDs. The test must run as root.
func NewAsUserWithIDs(t testing.TB) *Landscape {
	t.Helper()
	if os.Geteuid() != 0 {
		testskip.OutsideCI(t, "root, who can become another user")
	}
	if _, err := exec.LookPath("newuidmap"); err != nil {
		testskip.OutsideCI(t, "the package uidmap: ", err)
	}
	dir, tools := publicDir(t), publicDir(t)
	l := NewAs(t, nil, dir)
	users, err := os.ReadFile("/etc/passwd")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(tools, "etc"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"etc/passwd": string(users) + fmt.Sprintf("%[1]s:x:%[2]d:%[2]d::%[3]s:/bin/sh\n", userWithIDs, ordinaryUser, dir),
		"etc/subuid": "", "etc/subgid": "", "etc/group": "", "etc/shadow": "", // usermod gives IDs only where these are
		"wrapper": fmt.Sprintf(wrapper, ordinaryUser, tools),
	} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	// As docs/containers.md says, with the files of this user instead of the machine's.
	ids := fmt.Sprintf("%d-%d", FirstSubordinate, FirstSubordinate+65535)
	if output, err := exec.Command("/usr/sbin/usermod", "--prefix", tools, "--add-subuids", ids, "--add-subgids", ids, userWithIDs).CombinedOutput(); err != nil {
		t.Fatalf("usermod: %v\n%s", err, output)
	}
	if err := copyFile(l.Binary, filepath.Join(tools, "binary")); err != nil {
		t.Fatal(err)
	}
	l.Binary, l.Apart = filepath.Join(tools, "wrapper"), true
	return l
}

// GiveIDs gives the user of NewAsUserWithIDs so many subordinate IDs, in place of those that it has.
func (l *Landscape) GiveIDs(count int) {
	l.t.Helper()
	for _, name := range subordinateFiles {
		text := fmt.Sprintf("%s:%d:%d\n", userWithIDs, FirstSubordinate, count)
		if err := os.WriteFile(filepath.Join(filepath.Dir(l.Binary), "etc", name), []byte(text), 0o644); err != nil {
			l.t.Fatal(err)
		}
	}
}

// publicDir is a directory that other users can enter, which t.TempDir is not. It is removed after the purge.
func publicDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "gardener-e2e-user-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}
