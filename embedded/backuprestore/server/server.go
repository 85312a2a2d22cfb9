// Package server serves the state of a member and of its backups over HTTP, at the paths of etcd-backup-restore. It adds /owner/check.
package server

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"os"
	"time"

	"github.com/go-logr/logr"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/owner"
	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

// Initialization is the progress of the preparation of the data.
type Initialization string

// The states of an initialization. It begins with the process.
const (
	Progress   Initialization = "Progress"
	Successful Initialization = "Successful"
	Failed     Initialization = "Failed"
)

// State is the state of a member that the server serves.
type State interface {
	Initialization() Initialization
	// Started reports whether etcd has answered lately and has an owner here, with or without the other members.
	Started() bool
	// Healthy reports whether etcd serves clients now: it has started, has a majority, votes, and its data are not known to be damaged.
	Healthy(ctx context.Context) bool
	// Snapshots lists all snapshots, the newest last.
	Snapshots(ctx context.Context) ([]snapshot.Snapshot, error)
	// DecryptsAlone returns an error unless the keys of the store decrypt a snapshot, without those of a store that it was copied from.
	DecryptsAlone(ctx context.Context, s snapshot.Snapshot) error
	// Take makes a snapshot now. The result is nil if there were no changes.
	Take(ctx context.Context, kind snapshot.Kind, final bool) (*snapshot.Snapshot, error)
	// CheckOwner makes the member check its owner at once, and says what the record says. Whoever asks has stopped the clients of the
	// etcd: a member that loses its owner does not wait any longer for clients of the other members.
	CheckOwner(ctx context.Context) (Ownership, error)
}

// Ownership is the answer of /owner/check.
type Ownership struct {
	// Owner is what the record says.
	Owner owner.Answer `json:"owner"`
	// Released means that the data are not newer than the final snapshot.
	Released bool `json:"released"`
}

// Config of the server.
type Config struct {
	// Address to listen on.
	Address string
	// CA, Cert and Key are files. With them the server uses TLS, and requests for data that are not public need a client certificate
	// of the CA. Without them it serves plain HTTP.
	CA, Cert, Key string
	State         State
	// Flags of etcd, which /config shows. They contain no secrets.
	Flags   []string
	Metrics prometheus.Gatherer
	// Profiles serves profiles of the process, to those who may see the state.
	Profiles bool
	Log      logr.Logger
}

const headerTimeout = 10 * time.Second

// Start listens, and serves until the process ends.
func Start(config Config) error {
	var secured *tls.Config
	if config.Cert != "" {
		var err error
		if secured, err = config.tls(); err != nil {
			return err
		}
	}
	s := &http.Server{Handler: handler(config), ReadHeaderTimeout: headerTimeout}
	for _, address := range addresses(config.Address) {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			return errors.Join(fmt.Errorf("serve backups: %w", err), s.Close())
		}
		if secured != nil {
			listener = tls.NewListener(listener, secured)
		}
		go func() {
			if err := s.Serve(listener); err != nil && !errors.Is(err, http.ErrServerClosed) {
				config.Log.Error(err, "Backups are not served any longer")
			}
		}()
	}
	return nil
}

// addresses adds the loopback address to that of a pod in a network of its own: forwarded connections come there.
func addresses(address string) []string {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return []string{address}
	}
	ip := net.ParseIP(host)
	if ip == nil || ip.IsLoopback() || ip.IsUnspecified() {
		return []string{address}
	}
	return []string{address, net.JoinHostPort("127.0.0.1", port)}
}

// tls reads the certificate for each connection, so a new one is used.
func (c Config) tls() (*tls.Config, error) {
	authority, err := os.ReadFile(c.CA)
	if err != nil {
		return nil, fmt.Errorf("read CA of the backup server: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(authority) {
		return nil, fmt.Errorf("file %q has no CA certificate", c.CA)
	}
	load := func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
		certificate, err := tls.LoadX509KeyPair(c.Cert, c.Key)
		return &certificate, err
	}
	if _, err := load(nil); err != nil {
		return nil, fmt.Errorf("certificate of the backup server: %w", err)
	}
	return &tls.Config{GetCertificate: load, ClientCAs: pool, ClientAuth: tls.VerifyClientCertIfGiven, MinVersion: tls.VersionTLS12}, nil
}

func handler(c Config) http.Handler {
	mux := http.NewServeMux()
	a := answers{c}
	mux.HandleFunc("/healthz", a.health)
	mux.HandleFunc("/initialization/status", a.initialization)
	mux.HandleFunc("/initialization/start", a.initialization)
	mux.Handle("/", c.trusted(http.NotFound))
	mux.Handle("/snapshot/full", c.trusted(a.take(snapshot.Full)))
	mux.Handle("/snapshot/delta", c.trusted(a.take(snapshot.Delta)))
	mux.Handle("GET /snapshot/latest", c.trusted(a.latest))
	mux.Handle("POST /owner/check", c.trusted(a.owner))
	mux.Handle("GET /config", c.trusted(a.config))
	if c.Metrics != nil {
		mux.Handle("GET /metrics", c.trusted(promhttp.HandlerFor(c.Metrics, promhttp.HandlerOpts{}).ServeHTTP))
	}
	if c.Profiles {
		for path, serve := range map[string]http.HandlerFunc{"": pprof.Index, "profile": pprof.Profile, "symbol": pprof.Symbol, "trace": pprof.Trace} {
			mux.Handle("GET /debug/pprof/"+path, c.trusted(serve))
		}
	}
	return mux
}

// trusted refuses clients without a certificate, where the server speaks TLS.
func (c Config) trusted(next http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c.Cert != "" && (r.TLS == nil || len(r.TLS.VerifiedChains) == 0) {
			http.Error(w, "a client certificate is required", http.StatusUnauthorized)
			return
		}
		next(w, r)
	})
}
