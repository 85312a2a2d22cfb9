package tunnel

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"
)

// Names of the components.
const (
	ServerName = "vpn-seed-server"
	AgentName  = "vpn-shoot-client"
)

// shutdownTimeout bounds how long connections may take to end.
const shutdownTimeout = 5 * time.Second

// files are the certificates of one end, all signed by the shoot's VPN authority. They are read again for every connection, so
// that rotation needs no restart.
type files struct{ ca, cert, key string }

func (f *files) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.ca, "ca-file", "", "certificates of the authorities by which the other end is checked")
	flags.StringVar(&f.cert, "tls-cert-file", "", "certificate of this end")
	flags.StringVar(&f.key, "tls-private-key-file", "", "its key")
	for _, name := range []string{"ca-file", "tls-cert-file", "tls-private-key-file"} {
		_ = cmd.MarkFlagRequired(name) // fails only for a flag that does not exist
	}
}

func (f *files) pool() (*x509.CertPool, error) {
	text, err := os.ReadFile(f.ca)
	if err != nil {
		return nil, fmt.Errorf("read authorities: %w", err)
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("read authorities: %s holds no certificate", f.ca)
	}
	return pool, nil
}

func (f *files) certificate() (*tls.Certificate, error) {
	certificate, err := tls.LoadX509KeyPair(f.cert, f.key)
	if err != nil {
		return nil, fmt.Errorf("read certificate: %w", err)
	}
	return &certificate, nil
}

// server is the configuration of a listener whose clients must have a certificate.
func (f *files) server() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12, GetConfigForClient: func(*tls.ClientHelloInfo) (*tls.Config, error) {
		pool, err := f.pool()
		if err != nil {
			return nil, err
		}
		certificate, err := f.certificate()
		if err != nil {
			return nil, err
		}
		return &tls.Config{
			MinVersion: tls.VersionTLS12, Certificates: []tls.Certificate{*certificate},
			ClientAuth: tls.RequireAndVerifyClientCert, ClientCAs: pool, NextProtos: []string{"http/1.1"},
		}, nil
	}}
}

// ServerCommand is the component vpn-seed-server.
func ServerCommand() *cobra.Command {
	var (
		files                   files
		agents, egress, healthy string
	)
	cmd := &cobra.Command{
		Use:   ServerName,
		Short: "Run the end of a shoot's tunnel beside its API server",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return serve(cmd.Context(), &files, agents, egress, healthy)
		},
	}
	files.add(cmd)
	cmd.Flags().StringVar(&agents, "agent-address", ":1194", "host:port for the agent, vpn-shoot-client")
	cmd.Flags().StringVar(&egress, "bind-address", ":9443", "host:port for the API server's CONNECT requests")
	cmd.Flags().StringVar(&healthy, "health-address", ":8080", "host:port of /healthz, and of /connected, which reports whether an agent is connected, over plain HTTP")
	return cmd
}

func serve(ctx context.Context, files *files, agents, egress, healthy string) error {
	server := NewServer(ctrllog.Log.WithName(ServerName))
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ended := make(chan error, 3)
	listener, err := tls.Listen("tcp", agents, files.server())
	if err != nil {
		return fmt.Errorf("listen for agents: %w", err)
	}
	go func() { ended <- server.ServeAgents(ctx, listener) }()
	egressListener, err := tls.Listen("tcp", egress, files.server())
	if err != nil {
		return fmt.Errorf("listen for the API server: %w", err)
	}
	go func() { ended <- ServeHTTP(ctx, egressListener, server) }()
	healthListener, err := net.Listen("tcp", healthy)
	if err != nil {
		return fmt.Errorf("listen for probes: %w", err)
	}
	go func() { ended <- ServeHTTP(ctx, healthListener, server.Health()) }()
	err = <-ended
	cancel()
	return errors.Join(err, <-ended, <-ended)
}

// ServeHTTP serves until ctx ends. A handler may take over connections.
func ServeHTTP(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{
		Handler: handler, ReadHeaderTimeout: answerTimeout,
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){}, // HTTP/2 connections cannot be taken over
	}
	stop := context.AfterFunc(ctx, func() {
		ctx, cancel := context.WithTimeout(context.Background(), shutdownTimeout)
		defer cancel()
		_ = server.Shutdown(ctx)
	})
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve %s: %w", listener.Addr(), err)
	}
	return nil
}

// Health answers probes: /healthz, and /connected, which reports whether an agent is connected. A server without an agent is healthy, because the agent may connect at any time.
func (s *Server) Health() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("/connected", func(w http.ResponseWriter, _ *http.Request) {
		if !s.Connected() {
			http.Error(w, ErrNoAgent.Error(), http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	return mux
}

// AgentCommand is the component vpn-shoot-client.
func AgentCommand() *cobra.Command {
	var (
		files      files
		agent      Agent
		serverName string
	)
	cmd := &cobra.Command{
		Use:   AgentName,
		Short: "Run the end of a shoot's tunnel inside the shoot",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			agent.Log = ctrllog.Log.WithName(AgentName)
			agent.TLS = &tls.Config{MinVersion: tls.VersionTLS12, ServerName: serverName, GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) {
				return files.certificate()
			}}
			pool, err := files.pool()
			if err != nil {
				return err
			}
			agent.TLS.RootCAs = pool // a rotation of the authority replaces the pod
			return agent.Run(cmd.Context())
		},
	}
	files.add(cmd)
	flags := cmd.Flags()
	flags.StringVar(&agent.Gateway, "gateway", "", "host:port of the seed's front door for tunnels")
	flags.StringVar(&agent.Destination, "destination", "", "value of the header "+Header+" that names the server")
	flags.StringVar(&serverName, "server-name", ServerName, "name in the server's certificate")
	for _, name := range []string{"gateway", "destination"} {
		_ = cmd.MarkFlagRequired(name) // fails only for a flag that does not exist
	}
	return cmd
}
