package etcd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"strconv"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/client/pkg/v3/transport"
	"go.etcd.io/etcd/server/v3/embed"
)

const (
	// DefaultQuota bounds the database; a landscape on one machine stays far below it.
	DefaultQuota = 2 << 30
	// MinQuota has room for what a landscape itself stores.
	MinQuota = 32 << 20
	// A start may use headroom, a part of the quota, beyond what the database already takes on disk. A database that is full then
	// does not keep a cluster from starting, and what has finalizers can be deleted.
	headroomPart, minHeadroom = 8, 16 << 20
	// snapshotCount is the number of transactions between two snapshots on disk. It bounds the write-ahead log, and with it the
	// disk beside the database and the replay at start: at 1.5 MB, the most a request may have, to 1.5 GB.
	snapshotCount = 1000
	// catchUpEntries are the transactions that are kept in memory, with all their values, for members that lag behind. There are
	// none. etcd adds up to 100 of its own.
	catchUpEntries = 1
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

	// Quota is how many bytes the database may take on disk; 0 means DefaultQuota. See Usage and Full.
	Quota int64
	// Token goes into the ID of the cluster of a member whose data directory is new, so that its data can be told from those of
	// others. Empty means that of all others.
	Token string
	// Made is called at each start when the member has data, and before it stores anything of a client, with the ID of its
	// cluster. Its error ends the member. May be nil.
	Made func(cluster string) error
	// Fatal learns the reason before etcd ends the process, for example because its disk is full. May be nil.
	Fatal func(message string)
	// Beside runs beside a member that serves. The member ends after it has returned, so it may still use the member when its context
	// has ended. Nil means nothing.
	Beside func(ctx context.Context)
	// Drop lists prefixes of keys that do not belong here. They are removed at each start.
	Drop []string

	Log logr.Logger // gets errors, and warnings at V(1)
}

func (c Config) quota() int64 {
	if c.Quota == 0 {
		return DefaultQuota
	}
	return c.Quota
}

// limit is the quota with headroom for a database that is full already.
func (c Config) limit() int64 {
	limit := c.quota()
	if file, err := os.Stat(filepath.Join(c.DataDir, "member", "snap", "db")); err == nil {
		limit = max(limit, file.Size()+max(c.quota()/headroomPart, minHeadroom))
	}
	return limit
}

func (c Config) fatal(message string) {
	if c.Fatal != nil {
		c.Fatal(c.Name + ": " + message)
	}
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

// Founding is what the ID of a cluster is made from. The fields are etcd's flags name, initial-advertise-peer-urls, initial-cluster and
// initial-cluster-token.
type Founding struct {
	Name     string
	PeerURLs []string
	Cluster  string
	Token    string
}

// Founding is that of a cluster whose only member has this configuration.
func (c Config) Founding() Founding {
	peer := c.url("https", c.PeerPort)
	own := embed.NewConfig()
	own.Name, own.AdvertisePeerUrls = c.Name, []url.URL{peer}
	return Founding{Name: c.Name, PeerURLs: []string{peer.String()}, Cluster: own.InitialClusterFromName(c.Name), Token: cmp.Or(c.Token, own.InitialClusterToken)}
}

func (c Config) validate() error {
	var errs []error
	if c.Name == "" {
		errs = append(errs, errors.New("a name is required"))
	}
	if c.ClientPort <= 0 {
		errs = append(errs, errors.New("a client port is required"))
	}
	if c.Quota != 0 && c.Quota < MinQuota {
		errs = append(errs, fmt.Errorf("a quota of %s is less than %s", Bytes(c.Quota), Bytes(MinQuota)))
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
	founding := c.Founding()
	ec.InitialCluster, ec.InitialClusterToken = founding.Cluster, founding.Token
	if c.MetricsPort != 0 {
		ec.ListenMetricsUrls = []url.URL{c.url("http", c.MetricsPort)}
	}
	ec.ClientTLSInfo, ec.PeerTLSInfo = tls, tls
	ec.TickMs, ec.ElectionMs = tickMilliseconds, electionMilliseconds
	ec.SnapshotCount, ec.SnapshotCatchUpEntries = snapshotCount, catchUpEntries
	ec.QuotaBackendBytes = c.limit()
	ec.WarningUnaryRequestDuration = embed.DefaultWarningUnaryRequestDuration // without it every request is logged
	ec.AutoCompactionRetention = "0"                                          // API servers compact themselves
	ec.EnableGRPCGateway = false
	ec.ZapLoggerBuilder = embed.NewZapLoggerBuilder(zapLogger(c.Log, c.fatal))
	if err := ec.Validate(); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return ec, nil
}
