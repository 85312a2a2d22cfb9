package ownflags

import (
	"fmt"
	"net"
	"net/url"
)

// defaultClientURL is where etcd listens if no flag says otherwise.
const defaultClientURL = "http://localhost:2379"

// Endpoint is the URL by which a client in the same process reaches the member.
func (f Flags) Endpoint() (*url.URL, error) {
	listen := append(f.List("listen-client-urls"), defaultClientURL)[0]
	endpoint, err := url.Parse(listen)
	if err != nil {
		return nil, fmt.Errorf("etcd's flag --listen-client-urls: %w", err)
	}
	if ip := net.ParseIP(endpoint.Hostname()); ip != nil && ip.IsUnspecified() {
		endpoint.Host = net.JoinHostPort("localhost", endpoint.Port())
	}
	return endpoint, nil
}

// Host is the host that clients know the member by. Its certificate is for this host.
func (f Flags) Host() (string, error) {
	advertised := f.List("advertise-client-urls")
	if len(advertised) == 0 {
		endpoint, err := f.Endpoint()
		if err != nil {
			return "", err
		}
		return endpoint.Hostname(), nil
	}
	u, err := url.Parse(advertised[0])
	if err != nil {
		return "", fmt.Errorf("etcd's flag --advertise-client-urls: %w", err)
	}
	return u.Hostname(), nil
}
