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

// waitForEtcd waits until something listens at one of servers. The etcd clients of kube-apiserver pause for a second
// after a refused connection, which would delay every start of a landscape.
func waitForEtcd(ctx context.Context, servers []string) error {
	type address struct{ network, address string }
	var addresses []address
	for _, server := range servers {
		u, err := url.Parse(server)
		switch {
		case err == nil && u.Scheme == "unix" && u.Path != "":
			addresses = append(addresses, address{"unix", u.Path})
		case err == nil && u.Port() != "":
			addresses = append(addresses, address{"tcp", u.Host})
		default:
			return nil // not an address that this function can wait for
		}
	}
	if len(addresses) == 0 {
		return nil
	}
	dialer := net.Dialer{Timeout: etcdDialTimeout}
	for {
		for _, a := range addresses {
			if conn, err := dialer.DialContext(ctx, a.network, a.address); err == nil {
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
