package etcd

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"path/filepath"
	"strconv"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
)

const (
	// quotaBytes bounds the database; a landscape on one machine stays far below it.
	quotaBytes = 2 << 30
	// snapshotCount is the number of transactions between two snapshots of raft; it bounds memory and replay at start.
	snapshotCount = 10000
	// A single member has no other candidate. Short times only make it start sooner: it elects itself after one to five
	// ticks.
	tickMilliseconds     = 50
	electionMilliseconds = 250
)

// MaxSocketPath is the longest path of a Unix socket that all systems accept.
const MaxSocketPath = 103

// Config of one etcd. All files are absolute paths.
type Config struct {
	Name    string // unique in the process; also the component's name
	DataDir string // created with mode 0700 if missing

	Host        string // address to listen on, default 127.0.0.1
	ClientPort  int    // gRPC only
	PeerPort    int    // only this member uses it; 0 takes any free port
	MetricsPort int    // plain HTTP /metrics and /health on Host; 0 means none

	// Socket is the path of a Unix socket that is served as well. Clients in this process use it and save the
	// encryption of a few hundred connections. Everybody who can reach the path has full access, so its directory must
	// be closed to other users. Empty means none.
	Socket string

	CAFile, CertFile, KeyFile string // serve with them, and demand client certificates of the same CA

	Log logr.Logger // gets errors, and warnings at V(1)
}

// Endpoint is the URL that clients use.
func (c Config) Endpoint() string {
	u := c.url("https", c.ClientPort)
	return u.String()
}

// SocketEndpoint is the URL of the socket, or Endpoint if there is none.
func (c Config) SocketEndpoint() string {
	if c.Socket == "" {
		return c.Endpoint()
	}
	return "unix://" + c.Socket
}

func (c Config) url(scheme string, port int) url.URL {
	host := c.Host
	if host == "" {
		host = "127.0.0.1"
	}
	return url.URL{Scheme: scheme, Host: net.JoinHostPort(host, strconv.Itoa(port))}
}

func (c Config) validate() error {
	var errs []error
	if c.Name == "" {
		errs = append(errs, errors.New("a name is required"))
	}
	if c.ClientPort <= 0 {
		errs = append(errs, errors.New("a client port is required"))
	}
	for what, path := range map[string]string{"data directory": c.DataDir, "CA": c.CAFile, "certificate": c.CertFile, "key": c.KeyFile} {
		if !filepath.IsAbs(path) {
			errs = append(errs, fmt.Errorf("%s: %q is not an absolute path", what, path))
		}
	}
	if c.Socket != "" && (!filepath.IsAbs(c.Socket) || len(c.Socket) > MaxSocketPath) {
		errs = append(errs, fmt.Errorf("socket: %q is not an absolute path of at most %d bytes", c.Socket, MaxSocketPath))
	}
	return errors.Join(errs...)
}

// embedded converts the configuration into etcd's own.
func (c Config) embedded() (*embed.Config, error) {
	if err := c.validate(); err != nil {
		return nil, err
	}
	tls := transport.TLSInfo{CertFile: c.CertFile, KeyFile: c.KeyFile, TrustedCAFile: c.CAFile, ClientCertAuth: true}
	ec := embed.NewConfig()
	ec.Name = c.Name
	ec.Dir = c.DataDir
	ec.ListenClientUrls = []url.URL{c.url("https", c.ClientPort)}
	ec.AdvertiseClientUrls = ec.ListenClientUrls
	if c.Socket != "" {
		ec.ListenClientUrls = append(ec.ListenClientUrls[:1:1], url.URL{Scheme: "unix", Path: c.Socket})
	}
	// Serving HTTP elsewhere makes the client port a plain gRPC server, which is faster and smaller than gRPC through
	// net/http.
	ec.ListenClientHttpUrls = []url.URL{c.url("https", 0)}
	ec.ListenPeerUrls = []url.URL{c.url("https", c.PeerPort)}
	ec.AdvertisePeerUrls = ec.ListenPeerUrls
	ec.InitialCluster = ec.InitialClusterFromName(c.Name)
	if c.MetricsPort != 0 {
		ec.ListenMetricsUrls = []url.URL{c.url("http", c.MetricsPort)}
	}
	ec.ClientTLSInfo, ec.PeerTLSInfo = tls, tls
	ec.TickMs, ec.ElectionMs = tickMilliseconds, electionMilliseconds
	ec.SnapshotCount = snapshotCount
	ec.QuotaBackendBytes = quotaBytes
	ec.WarningUnaryRequestDuration = embed.DefaultWarningUnaryRequestDuration // without it every request is logged
	ec.AutoCompactionRetention = "0"                                          // API servers compact themselves
	ec.EnableGRPCGateway = false
	ec.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zapLogger(c.Log.WithName(c.Name)))
	if err := ec.Validate(); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return ec, nil
}
