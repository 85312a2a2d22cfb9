package dns

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/go-logr/logr"
	"github.com/miekg/dns"
)

// ServeRecords answers questions about the records of a zone on a listener until ctx ends, and closes it. It asks nobody else: names that the zone does
// not have do not exist. So whoever may ask learns nothing but these records.
func ServeRecords(ctx context.Context, listener net.Listener, zone *Zone, log logr.Logger) error {
	started := make(chan struct{})
	server := &dns.Server{
		Listener: listener, Handler: &handler{zone: zone, domains: []string{"."}, log: log},
		NotifyStartedFunc: func() { close(started) },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.ActivateAndServe() }()
	var err error
	select {
	case err = <-ended:
	case <-ctx.Done():
		select {
		case <-started:
			_ = server.Shutdown() // waits for answers under way
		case err := <-ended:
			ended <- err
		}
		err = <-ended
	}
	_ = listener.Close()
	if err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("answer questions about records: %w", err)
	}
	return nil
}
