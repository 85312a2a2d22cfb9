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

// subordinateFile is what the user finds at /etc/subuid and /etc/subgid.
const subordinateFile = "subids"

// wrapper runs commands as a user whom the system has given subordinate IDs: in a mount namespace, so that the machine's own files stay as they are.
const wrapper = `#!/bin/sh
chown %[1]d:%[1]d "$HOME" "$HOME"/*
: >> /etc/subuid && : >> /etc/subgid || exit
exec unshare --mount --propagation private sh -c 'mount --bind %[2]s/passwd /etc/passwd && mount --bind %[2]s/subids /etc/subuid && mount --bind %[2]s/subids /etc/subgid &&
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
	for name, text := range map[string]string{
		"passwd":        string(users) + fmt.Sprintf("gardener-e2e:x:%[1]d:%[1]d::%[2]s:/bin/sh\n", ordinaryUser, dir),
		subordinateFile: subordinate(65536),
		"wrapper":       fmt.Sprintf(wrapper, ordinaryUser, tools),
	} {
		if err := os.WriteFile(filepath.Join(tools, name), []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
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
	if err := os.WriteFile(filepath.Join(filepath.Dir(l.Binary), subordinateFile), []byte(subordinate(count)), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

func subordinate(count int) string {
	return fmt.Sprintf("gardener-e2e:%d:%d\n", FirstSubordinate, count)
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
