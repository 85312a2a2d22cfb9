package daytwo

import (
	"bytes"
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"net"
	"os"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

// user is the user of nodes that the SSH keys are for.
const user = "gardener"

const timeoutOfLogin = 30 * time.Second

// login logs in with a private key at a server that accepts the keys in a file, as the sshd of a node does.
func login(t *testing.T, file string, private []byte) error {
	t.Helper()
	accepted, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.ParsePrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	host, err := ssh.NewSignerFromSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	server := &ssh.ServerConfig{PublicKeyCallback: func(_ ssh.ConnMetadata, offered ssh.PublicKey) (*ssh.Permissions, error) {
		for rest := accepted; len(rest) > 0; {
			var known ssh.PublicKey
			if known, _, _, rest, err = ssh.ParseAuthorizedKey(rest); err != nil {
				break
			}
			if bytes.Equal(known.Marshal(), offered.Marshal()) {
				return nil, nil
			}
		}
		return nil, errors.New("the key is not in the file")
	}}
	server.AddHostKey(host)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		connection, err := listener.Accept()
		if err != nil {
			return // the client tells
		}
		defer connection.Close()
		_, _, _, _ = ssh.NewServerConn(connection, server)
	}()
	client, err := ssh.Dial("tcp", listener.Addr().String(), &ssh.ClientConfig{
		User: user, Auth: []ssh.AuthMethod{ssh.PublicKeys(signer)}, HostKeyCallback: ssh.FixedHostKey(host.PublicKey()), Timeout: timeoutOfLogin,
	})
	if err != nil {
		return err
	}
	_ = client.Close()
	return nil
}
