package member

import (
	"fmt"
	"time"

	"go.etcd.io/etcd/client/pkg/v3/transport"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// TLS are the files for a connection as a client of etcd. Empty names mean no TLS.
type TLS struct{ CA, Cert, Key string }

// config configures a client of the endpoints. Their certificate is for the host, if there is one; else for each endpoint.
func (t TLS) config(endpoints []string, host string) (clientv3.Config, error) {
	config := clientv3.Config{Endpoints: endpoints, DialTimeout: answerTimeout, Logger: zap.NewNop(), DialKeepAliveTime: time.Minute}
	if t.CA == "" {
		return config, nil
	}
	tls, err := transport.TLSInfo{
		TrustedCAFile: t.CA, CertFile: t.Cert, KeyFile: t.Key,
	}.ClientConfig()
	if err != nil {
		return config, fmt.Errorf("TLS of etcd's clients: %w", err)
	}
	config.TLS = tls
	if host != "" { // gRPC verifies the authority and ignores the server name of the TLS configuration
		config.DialOptions = []grpc.DialOption{grpc.WithAuthority(host)}
	}
	return config, nil
}
