package kind

import (
	"encoding/base64"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// The SSH key of the nodes rotates with the move to the other tunnel, if that step is taken, and again with all credentials.
var (
	sshFirst   = step{"BST-12 the SSH server of a node accepts the key of the shoot", sshAcceptsFirst, true}
	sshSecond  = step{"BST-12 it accepts the present key and the former one", sshAcceptsBoth, true}
	sshRefused = step{"BST-12 it refuses the key before the former one", sshRefusesFirst, true}
)

const (
	sshPort = "22"
	sshUser = "gardener" // of nodes
	// sshTimeout is for one try.
	sshTimeout = 10 * time.Second
	// sshPatience is for nodes, which look for new keys every 30 seconds.
	sshPatience = 3 * time.Minute
)

func sshAcceptsFirst(t *testing.T, f *fixture) {
	f.File("ssh-first", string(f.sshKey(t, "")))
	f.logsIn(t, "the key of the shoot", f.sshKey(t, ""))
}

func sshAcceptsBoth(t *testing.T, f *fixture) {
	former := f.sshKey(t, ".old")
	if first := f.firstKey(t); string(former) != string(first) {
		t.Error("the former key is not the first one")
	}
	f.logsIn(t, "the present key", f.sshKey(t, ""))
	f.logsIn(t, "the former key", former)
}

func sshRefusesFirst(t *testing.T, f *fixture) {
	f.logsIn(t, "the present key", f.sshKey(t, ""))
	f.logsIn(t, "the former key", f.sshKey(t, ".old"))
	f.await(sshPatience, "the first key is refused", func() (bool, string) {
		said := f.logIn(t, f.firstKey(t))
		return strings.Contains(said, "unable to authenticate"), said
	})
}

// sshKey is a private key of the nodes that users have: the present one, or with the suffix .old the former one.
func (f *fixture) sshKey(t *testing.T, suffix string) []byte {
	t.Helper()
	encoded := f.Kubectl(f.Garden(), "-n", project, "get", "secret", shootName+".ssh-keypair"+suffix, "-o", "jsonpath={.data.id_rsa}")
	key, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil || len(key) == 0 {
		t.Fatalf("the key has %d bytes, %v", len(key), err)
	}
	return key
}

// firstKey is the key that the shoot was made with.
func (f *fixture) firstKey(t *testing.T) []byte {
	t.Helper()
	key, err := os.ReadFile(filepath.Join(f.Dir, "ssh-first"))
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func (f *fixture) logsIn(t *testing.T, what string, key []byte) {
	t.Helper()
	f.await(sshPatience, what+" is accepted", func() (bool, string) {
		said := f.logIn(t, key)
		return said == "", said
	})
}

// logIn logs in at a node of the shoot, and returns why that failed.
func (f *fixture) logIn(t *testing.T, private []byte) string {
	t.Helper()
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	client, err := ssh.Dial("tcp", net.JoinHostPort(addressOf(t, f.machines(t)[0]), sshPort), &ssh.ClientConfig{
		User: sshUser, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, Timeout: sshTimeout,
		HostKeyCallback: ssh.InsecureIgnoreHostKey(), //nolint:gosec // nobody knows the keys of a node that was just made
	})
	if err != nil {
		return err.Error()
	}
	_ = client.Close()
	return ""
}
