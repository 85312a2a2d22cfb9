// Package hangup lets an etcd end soon although clients read streams of changes from it, as API servers do all the time. etcd itself
// waits for these clients until its time limit for requests has passed, which is seven seconds by default. In this time nobody can
// connect.
package hangup

import (
	"fmt"
	"strconv"
	"time"

	"github.com/go-logr/logr"
	"go.etcd.io/etcd/pkg/v3/osutil"

	"github.com/gardener-up/gardener-up/embedded/etcd/ownflags"
)

// grace is how long requests under way may take that end by themselves.
const grace = 500 * time.Millisecond

// OnInterrupt makes the etcd of this process, whose own flags are given, end the connections of its clients soon after it was told to
// end. It does so on Linux; elsewhere etcd waits. It must be called before etcd starts.
func OnInterrupt(flags ownflags.Flags, log logr.Logger) error {
	endpoint, err := flags.Endpoint()
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(endpoint.Port())
	if err != nil {
		return fmt.Errorf("etcd's flag --listen-client-urls: %s has no port", endpoint)
	}
	osutil.RegisterInterruptHandler(func() {
		time.AfterFunc(grace, func() { // etcd's own handler runs meanwhile: it accepts no connections, and asks clients to go
			ended, err := end(port)
			log.Info("Ended the connections of clients that did not go by themselves", "connections", ended, "error", err)
		})
	})
	return nil
}
