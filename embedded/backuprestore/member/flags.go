package member

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
)

// Flags are flags of etcd. A member reads some of them.
type Flags []string

// get returns the value of a flag that is written as --name=value.
func (f Flags) get(name string) string {
	value := ""
	for _, flag := range f {
		if v, found := strings.CutPrefix(flag, "--"+name+"="); found {
			value = v
		}
	}
	return value
}

// Name is the name of the member.
func (f Flags) Name() string { return f.get("name") }

// set returns the flags with another value.
func (f Flags) set(name, value string) Flags {
	out := Flags{}
	for _, flag := range f {
		if !strings.HasPrefix(flag, "--"+name+"=") {
			out = append(out, flag)
		}
	}
	return append(out, "--"+name+"="+value)
}

func (f Flags) validate() error {
	for _, name := range []string{"name", "data-dir", "initial-cluster", "initial-advertise-peer-urls", "advertise-client-urls", "listen-client-urls"} {
		if f.get(name) == "" {
			return fmt.Errorf("etcd's flag --%s=… is required", name)
		}
	}
	return nil
}

func (f Flags) dir() string { return filepath.Clean(f.get("data-dir")) }

// alone tells whether the etcd has one member.
func (f Flags) alone() bool { return !strings.Contains(f.get("initial-cluster"), ",") }

// endpoint is where the member listens, and host the name in its certificate.
func (f Flags) endpoint() (endpoint, host string, err error) {
	endpoint, _, _ = strings.Cut(f.get("listen-client-urls"), ",")
	advertised, _, _ := strings.Cut(f.get("advertise-client-urls"), ",")
	u, err := url.Parse(advertised)
	if err != nil {
		return "", "", fmt.Errorf("etcd's flag --advertise-client-urls: %w", err)
	}
	return endpoint, u.Hostname(), nil
}

// others are the client URLs of the other members. They have the same port and the names in initial-cluster.
func (f Flags) others() []string {
	var out []string
	advertised, err := url.Parse(f.get("advertise-client-urls"))
	if err != nil {
		return nil
	}
	for _, member := range strings.Split(f.get("initial-cluster"), ",") {
		name, peer, _ := strings.Cut(member, "=")
		u, err := url.Parse(peer)
		if name == f.get("name") || err != nil {
			continue
		}
		out = append(out, fmt.Sprintf("%s://%s:%s", advertised.Scheme, u.Hostname(), advertised.Port()))
	}
	return out
}
