package ownflags

import (
	"fmt"
	"net"
	"net/url"
)

// defaultClientURL is where etcd listens if no flag says otherwise.
const defaultClientURL = "http://localhost:2379"

// ClientURLs are where etcd listens for clients.
func (f Flags) ClientURLs() []string {
	if listen := f.List("listen-client-urls"); len(listen) > 0 {
		return listen
	}
	return []string{defaultClientURL}
}

// Endpoint is the URL by which a client in the same process reaches the member.
func (f Flags) Endpoint() (*url.URL, error) {
	endpoint, err := url.Parse(f.ClientURLs()[0])
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
