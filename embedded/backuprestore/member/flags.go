package member

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gardener-up/gardener-up/embedded/etcd/ownflags"
)

// ownFlags are etcd's flags, as a member reads them.
type ownFlags struct{ ownflags.Flags }

func (f ownFlags) validate() error {
	for _, name := range []string{"name", "data-dir", "initial-cluster", "initial-advertise-peer-urls", "advertise-client-urls", "listen-client-urls"} {
		if f.Get(name) == "" {
			return fmt.Errorf("etcd's flag --%s=… is required", name)
		}
	}
	return nil
}

// usualQuota is etcd's own, for the flag 0. A negative flag means no quota, and is not recommended.
const usualQuota = 2 << 30

// quota is how many bytes the database may have.
func (f ownFlags) quota() int64 {
	quota, err := strconv.ParseInt(f.Get("quota-backend-bytes"), 10, 64)
	if err != nil || quota <= 0 {
		return usualQuota // etcd refuses what is no number
	}
	return quota
}

func (f ownFlags) dir() string { return filepath.Clean(f.DataDir()) }

// alone tells whether the etcd has one member.
func (f ownFlags) alone() bool { return len(f.List("initial-cluster")) < 2 }

// others are the client URLs of the other members. They have the same port and the names in initial-cluster.
func (f ownFlags) others() []string {
	var out []string
	advertised, err := url.Parse(f.Get("advertise-client-urls"))
	if err != nil {
		return nil
	}
	for _, member := range f.List("initial-cluster") {
		name, peer, _ := strings.Cut(member, "=")
		u, err := url.Parse(peer)
		if name == f.Name() || err != nil {
			continue
		}
		out = append(out, fmt.Sprintf("%s://%s:%s", advertised.Scheme, u.Hostname(), advertised.Port()))
	}
	return out
}
