package kubeapi

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"time"
)

const (
	etcdPollInterval = 20 * time.Millisecond
	etcdDialTimeout  = time.Second
)

// waitForEtcd waits until somebody listens at one of servers. kube-apiserver's clients of etcd back off for a second
// after a refused connection, and every start of a landscape would pay for that.
func waitForEtcd(ctx context.Context, servers []string) error {
	addresses := make([]string, 0, len(servers))
	for _, server := range servers {
		u, err := url.Parse(server)
		if err != nil || u.Port() == "" {
			return nil // not an address that this can wait for
		}
		addresses = append(addresses, u.Host)
	}
	if len(addresses) == 0 {
		return nil
	}
	dialer := net.Dialer{Timeout: etcdDialTimeout}
	for {
		for _, address := range addresses {
			if conn, err := dialer.DialContext(ctx, "tcp", address); err == nil {
				return conn.Close()
			}
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("wait for etcd: %w", ctx.Err())
		case <-time.After(etcdPollInterval):
		}
	}
}
