// Package hangup lets an etcd end soon although clients read streams of changes from it, as API servers do all the time. etcd itself
// waits for these clients until its time limit for requests has passed, which is seven seconds by default. In this time nobody can
// connect.
package hangup

import (
	"net/url"
	"strconv"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/pkg/v3/osutil"

	"github.com/gardener-up/gardener-up/embedded/etcd/ownflags"
)

// grace is how long requests under way may take that end by themselves.
const grace = 500 * time.Millisecond

// OnInterrupt makes the etcd of this process, whose own flags are given, end the connections of its clients soon after it was told to
// end. A client that has no answer by then does not know whether its request was carried out, as after any lost connection. It does so on
// Linux; elsewhere etcd waits. It must be called before etcd starts.
func OnInterrupt(flags ownflags.Flags, log logr.Logger) {
	at := ports(flags.ClientURLs())
	osutil.RegisterInterruptHandler(func() {
		time.AfterFunc(grace, func() { // etcd's own handler runs meanwhile: it accepts no connections, and asks clients to go
			open, err := accepted(at)
			if err != nil {
				log.Error(err, "etcd waits for clients that read streams")
				return
			}
			log.Info("Ending the connections of clients", "connections", len(open))
			for _, connection := range open {
				end(connection)
			}
		})
	})
}

// ports are those of URLs. What has none is refused by etcd, or is a socket in the file system.
func ports(urls []string) map[int]bool {
	out := map[int]bool{}
	for _, text := range urls {
		parsed, err := url.Parse(text)
		if err != nil {
			continue // etcd says so
		}
		if port, err := strconv.Atoi(parsed.Port()); err == nil {
			out[port] = true
		}
	}
	return out
}
