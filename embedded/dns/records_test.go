package dns_test

import (
	"context"
	"errors"
	"net"
	"testing"

	"github.com/go-logr/logr"
	miekg "github.com/miekg/dns"

	"github.com/gardener-up/gardener-up/embedded/dns"
)

func TestServeRecords(t *testing.T) {
	zone, err := dns.OpenZone(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if err := zone.Put(dns.Claim{Owner: "me"}, "owner.sun.sky.internal", "TXT", []string{"earth"}, 120); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- dns.ServeRecords(ctx, listener, zone, logr.Discard()) }()
	for name, tc := range map[string]struct {
		question string
		rcode    int
		answers  int
	}{
		"MIG-14 a record of the zone":             {"owner.sun.sky.internal.", miekg.RcodeSuccess, 1},
		"MIG-23 a record that does not exist":     {"owner.moon.sky.internal.", miekg.RcodeNameError, 0},
		"no name is asked of others":              {"example.com.", miekg.RcodeNameError, 0},
		"names of Services are not answered":      {"kubernetes.default.svc.cluster.local.", miekg.RcodeNameError, 0},
		"names of the machine are not, neither":   {"localhost.", miekg.RcodeNameError, 0},
		"the root has no records of other owners": {".", miekg.RcodeSuccess, 0},
	} {
		t.Run(name, func(t *testing.T) {
			client := miekg.Client{Net: "tcp"}
			reply, _, err := client.Exchange(new(miekg.Msg).SetQuestion(tc.question, miekg.TypeTXT), listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			if reply.Rcode != tc.rcode || len(reply.Answer) != tc.answers {
				t.Errorf("answer %v", reply)
			}
		})
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("it ends with %v", err)
	}
	if _, err := listener.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("the listener is open: %v", err)
	}
	begun, stop := context.WithCancel(t.Context())
	stop()
	again, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if err := dns.ServeRecords(begun, again, zone, logr.Discard()); err != nil {
		t.Errorf("a server that is stopped before it has started ends with %v", err)
	}
}
