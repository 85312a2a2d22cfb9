package testenv

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/gardener-up/gardener-up/embedded/internal/testpki"
)

// Names of the components of every environment, see Env.PID.
const (
	Etcd      = "etcd"
	APIServer = "kube-apiserver"
)

// startServers writes certificates and starts both servers; kube-apiserver waits for etcd by itself.
func (e *Env) startServers(opts Options) error {
	ports, err := freePorts(e.Address, 3)
	if err != nil {
		return fmt.Errorf("find free ports: %w", err)
	}
	if e.pki, err = testpki.New(e.Dir, e.Address); err != nil {
		return fmt.Errorf("make certificates: %w", err)
	}
	e.Etcd = "https://" + net.JoinHostPort(e.Address, ports[0])
	e.Watch(e.Etcd, e.Dir)
	peer := "http://" + net.JoinHostPort(e.Address, ports[1])
	if err := e.start(Etcd, Etcd, e.etcdArgs(e.Etcd, peer)); err != nil {
		return err
	}
	e.waitForListener(strings.TrimPrefix(e.Etcd, "https://"))
	if err := e.writeClientConfig("https://" + net.JoinHostPort(e.Address, ports[2])); err != nil {
		return err
	}
	args := append(e.apiServerArgs(ports[2]), opts.APIServerArgs...)
	if opts.AuthorizationConfig != "" {
		args = append(args, "--authorization-config="+opts.AuthorizationConfig)
	} else {
		args = append(args, "--authorization-mode=RBAC")
	}
	if opts.Garden == nil {
		return e.start(APIServer, APIServer, args)
	}
	more, err := opts.Garden(e)
	if err != nil {
		return err
	}
	return e.start(APIServer, "garden", slices.Concat(args, []string{"--"}, more))
}

// waitForListener gives etcd a moment to listen, since kube-apiserver pauses for a second after a refused connection.
func (e *Env) waitForListener(address string) {
	for range 100 {
		if e.children[0].ended() != nil {
			return // waitReady reports the reason
		}
		if conn, err := net.Dial("tcp", address); err == nil {
			_ = conn.Close()
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// start starts a component under a name that may differ from that in the binary.
func (e *Env) start(name, component string, args []string) error {
	c, err := startChild(e.binary, append([]string{"component", component}, args...), filepath.Join(e.Dir, name+".log"))
	if err != nil {
		return fmt.Errorf("start %s: %w", name, err)
	}
	c.name = name
	e.children = append(e.children, c)
	return nil
}

func (e *Env) etcdArgs(client, peer string) []string {
	return []string{
		"--name=testenv", "--data-dir=" + filepath.Join(e.Dir, "etcd"),
		"--listen-client-urls=" + client, "--advertise-client-urls=" + client,
		"--listen-peer-urls=" + peer, "--initial-advertise-peer-urls=" + peer, "--initial-cluster=testenv=" + peer,
		"--client-cert-auth", "--trusted-ca-file=" + e.pki.Path("ca.crt"),
		"--cert-file=" + e.pki.Path("server.crt"), "--key-file=" + e.pki.Path("server.key"),
		"--heartbeat-interval=50", "--election-timeout=250",
		"--unsafe-no-fsync", "--log-level=warn",
	}
}

func (e *Env) apiServerArgs(port string) []string {
	ca := e.pki.Path("ca.crt")
	return []string{
		"--bind-address=" + e.Address, "--advertise-address=" + e.Address, "--secure-port=" + port,
		"--etcd-servers=" + e.Etcd, "--etcd-cafile=" + ca,
		"--etcd-certfile=" + e.pki.Path("admin.crt"), "--etcd-keyfile=" + e.pki.Path("admin.key"),
		"--tls-cert-file=" + e.pki.Path("server.crt"), "--tls-private-key-file=" + e.pki.Path("server.key"),
		"--client-ca-file=" + ca,
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + e.pki.Path("sa.key"), "--service-account-signing-key-file=" + e.pki.Path("sa.key"),
		"--service-cluster-ip-range=127.96.0.0/16", "--endpoint-reconciler-type=none",
		"--disable-admission-plugins=ServiceAccount", // nothing creates the default service accounts
		"--enable-priority-and-fairness=false", "--profiling=false", "--allow-privileged",
	}
}

func (e *Env) writeClientConfig(server string) error {
	ca, err := os.ReadFile(e.pki.Path("ca.crt"))
	if err != nil {
		return fmt.Errorf("read CA: %w", err)
	}
	cert, key, err := e.pki.Client("admin", "system:masters")
	if err != nil {
		return err
	}
	e.Config = &rest.Config{
		Host:            server,
		QPS:             -1,
		TLSClientConfig: rest.TLSClientConfig{CAData: ca, CertData: cert, KeyData: key},
	}
	const name = "testenv"
	file := clientcmdapi.NewConfig()
	file.Clusters[name] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: ca}
	file.AuthInfos[name] = &clientcmdapi.AuthInfo{ClientCertificateData: cert, ClientKeyData: key}
	file.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	file.CurrentContext = name
	if err := clientcmd.WriteToFile(*file, e.Kubeconfig); err != nil {
		return fmt.Errorf("write kubeconfig: %w", err)
	}
	return nil
}

// freePorts returns ports of address that nobody listens on.
func freePorts(address string, count int) ([]string, error) {
	var ports []string
	for range count {
		l, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
		if err != nil {
			return nil, err
		}
		defer func() { _ = l.Close() }() // close all at the end, so that the ports differ
		ports = append(ports, strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
	}
	return ports, nil
}
