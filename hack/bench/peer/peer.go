// Package peer runs the minimum of every Kubernetes landscape, for comparison in the benchmark: etcd and kube-apiserver
// of the same binary, as two processes with default settings, and nothing else. They have no clients; only /readyz is
// requested.
package peer

import (
	"context"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"slices"
	"time"
)

// readyTimeout limits one start.
const readyTimeout = 2 * time.Minute

// Peer is a pair of servers with its data.
type Peer struct {
	binary, dir            string
	client, member, secure string // addresses of etcd for clients and members, and of kube-apiserver
	children               []*child
}

// New prepares a peer without data in dir, an existing empty directory that the caller removes. It starts nothing.
func New(binary, dir string) (*Peer, error) {
	p := &Peer{binary: binary, dir: dir}
	if err := writeCertificate(p.file("tls.crt"), p.file("tls.key")); err != nil {
		return nil, fmt.Errorf("make certificate: %w", err)
	}
	var listeners []net.Listener
	defer func() {
		for _, l := range listeners {
			_ = l.Close()
		}
	}()
	for _, address := range []*string{&p.client, &p.member, &p.secure} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return nil, fmt.Errorf("find a free port: %w", err)
		}
		listeners = append(listeners, l) // closed at the end, so that ports differ
		*address = l.Addr().String()
	}
	return p, nil
}

// Start starts both servers and returns the time until kube-apiserver was ready. It starts kube-apiserver once etcd
// listens, since kube-apiserver would pause for a second after a refused connection. After an error nothing is running.
func (p *Peer) Start(ctx context.Context) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, readyTimeout)
	defer cancel()
	begin := time.Now()
	err := p.start(ctx, "etcd", p.etcdArgs(), listening(p.client))
	if err == nil {
		err = p.start(ctx, "kube-apiserver", p.apiServerArgs(), ready("https://"+p.secure+"/readyz"))
	}
	if err != nil {
		return 0, errors.Join(err, p.Stop())
	}
	return time.Since(begin), nil
}

// start starts a server and waits until check succeeds.
func (p *Peer) start(ctx context.Context, name string, args []string, check func(context.Context) error) error {
	c, err := startChild(p.binary, append([]string{"component", name}, args...), p.file(name+".log"))
	if err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	p.children = append(p.children, c)
	return c.await(ctx, name, check)
}

// PIDs are the IDs of the running processes.
func (p *Peer) PIDs() []int {
	var pids []int
	for _, c := range p.children {
		pids = append(pids, c.process.Pid)
	}
	return pids
}

// Stop ends both servers in reverse order, if possible in an orderly way. The data stays for another Start. It may be
// called in any state.
func (p *Peer) Stop() error {
	var errs []error
	for _, c := range slices.Backward(p.children) {
		errs = append(errs, c.stop())
	}
	p.children = nil
	return errors.Join(errs...)
}

func (p *Peer) etcdArgs() []string {
	client, member := "http://"+p.client, "http://"+p.member
	return []string{
		"--name=peer", "--data-dir=" + p.file("etcd"), "--log-level=warn",
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + member, "--initial-advertise-peer-urls=" + member, "--initial-cluster=peer=" + member,
	}
}

func (p *Peer) apiServerArgs() []string {
	host, port, _ := net.SplitHostPort(p.secure) // an address of a listener always splits
	key := p.file("tls.key")                     // one key is enough, since nothing uses the tokens
	return []string{
		"--bind-address=" + host, "--advertise-address=" + host, "--secure-port=" + port, "--etcd-servers=http://" + p.client,
		"--tls-cert-file=" + p.file("tls.crt"), "--tls-private-key-file=" + key,
		"--service-account-issuer=https://kubernetes.default.svc", "--service-account-key-file=" + key, "--service-account-signing-key-file=" + key,
		"--authorization-mode=RBAC", // allows /readyz without authentication
		"--service-cluster-ip-range=10.96.0.0/16",
		"--endpoint-reconciler-type=none", // would repeatedly fail with a loopback address
	}
}

func (p *Peer) file(name string) string { return filepath.Join(p.dir, name) }
