package dns_test

import (
	"context"
	"errors"
	"net"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	miekg "github.com/miekg/dns"
	"go.uber.org/goleak"

	"github.com/gardener-up/gardener-up/embedded/dns"
)

// start returns the address of a running server.
func start(t *testing.T, config dns.Config) string {
	t.Helper()
	config.Name, config.Address = "dns", "127.0.0.1:0"
	if config.Upstreams == nil {
		config.Upstreams = []string{}
	}
	server := dns.New(config)
	if err := server.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(context.Background()); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return server.Addr().String()
}

// upstream is a resolver that knows one name, and answers over TCP only if it is asked for a long text.
func upstream(t *testing.T) string {
	t.Helper()
	mux := miekg.NewServeMux()
	mux.HandleFunc("elsewhere.test.", func(w miekg.ResponseWriter, r *miekg.Msg) {
		reply := new(miekg.Msg).SetReply(r)
		record, _ := miekg.NewRR("elsewhere.test. 60 IN A 192.0.2.1")
		reply.Answer = append(reply.Answer, record)
		if r.Question[0].Qtype == miekg.TypeTXT {
			record, _ = miekg.NewRR("elsewhere.test. 60 IN TXT long")
			reply.Answer, reply.Truncated = nil, w.RemoteAddr().Network() == "udp"
			if !reply.Truncated {
				reply.Answer = append(reply.Answer, record)
			}
		}
		_ = w.WriteMsg(reply)
	})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p, err := net.ListenPacket("udp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	for _, server := range []*miekg.Server{{Listener: l, Handler: mux}, {PacketConn: p, Handler: mux}} {
		started := make(chan struct{})
		server.NotifyStartedFunc = func() { close(started) }
		go func() { _ = server.ActivateAndServe() }()
		<-started
		t.Cleanup(func() { _ = server.Shutdown() })
	}
	return l.Addr().String()
}

func TestServer(t *testing.T) {
	zone, err := dns.OpenZone(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range []struct{ name, recordType, value string }{
		{"api.shoot.local.test", "A", "127.0.0.2"},
		{"alias.shoot.local.test", "CNAME", "api.shoot.local.test"},
		{"away.shoot.local.test", "CNAME", "elsewhere.test"},
		{"circle.shoot.local.test", "CNAME", "circle.shoot.local.test"},
		{"foreign.example", "A", "127.0.0.9"},
		{"long.shoot.local.test", "TXT", strings.Repeat("x", 3000)},
	} {
		if err := zone.Put(dns.Claim{Owner: "me"}, r.name, r.recordType, []string{r.value}, 120); err != nil {
			t.Fatal(err)
		}
	}
	addr := start(t, dns.Config{Zone: zone, Domains: []string{"local.test"}, Upstreams: []string{upstream(t)}})

	for name, tc := range map[string]struct {
		question string
		qtype    uint16
		rcode    int
		want     []string // names, types and values
		soa      bool
	}{
		"a record of the zone":                          {"api.shoot.local.test.", miekg.TypeA, miekg.RcodeSuccess, []string{"api.shoot.local.test. A 127.0.0.2"}, false},
		"the question keeps its spelling":               {"API.shoot.local.test.", miekg.TypeA, miekg.RcodeSuccess, []string{"API.shoot.local.test. A 127.0.0.2"}, false},
		"another type of a name is an empty answer":     {"api.shoot.local.test.", miekg.TypeAAAA, miekg.RcodeSuccess, nil, true},
		"an alias is followed":                          {"alias.shoot.local.test.", miekg.TypeA, miekg.RcodeSuccess, []string{"alias.shoot.local.test. CNAME api.shoot.local.test.", "api.shoot.local.test. A 127.0.0.2"}, false},
		"an alias is followed to other resolvers":       {"away.shoot.local.test.", miekg.TypeA, miekg.RcodeSuccess, []string{"away.shoot.local.test. CNAME elsewhere.test.", "elsewhere.test. A 192.0.2.1"}, false},
		"an alias in a circle is a failure":             {"circle.shoot.local.test.", miekg.TypeA, miekg.RcodeServerFailure, nil, false},
		"a name missing in an own domain":               {"no.local.test.", miekg.TypeA, miekg.RcodeNameError, nil, true},
		"an own domain itself":                          {"local.test.", miekg.TypeA, miekg.RcodeSuccess, nil, true},
		"a record outside the own domains":              {"foreign.example.", miekg.TypeA, miekg.RcodeSuccess, []string{"foreign.example. A 127.0.0.9"}, false},
		"everything else is asked elsewhere":            {"elsewhere.test.", miekg.TypeA, miekg.RcodeSuccess, []string{"elsewhere.test. A 192.0.2.1"}, false},
		"a truncated answer is fetched over TCP":        {"elsewhere.test.", miekg.TypeTXT, miekg.RcodeSuccess, []string{`elsewhere.test. TXT "long"`}, false},
		"Services without a cluster do not exist":       {"web.default.svc.", miekg.TypeA, miekg.RcodeNameError, nil, true},
		"Services in full without a cluster do neither": {"web.default.svc.cluster.local.", miekg.TypeA, miekg.RcodeNameError, nil, true},
	} {
		t.Run(name, func(t *testing.T) {
			reply, err := miekg.Exchange(new(miekg.Msg).SetQuestion(tc.question, tc.qtype), addr)
			if err != nil {
				t.Fatal(err)
			}
			if reply.Rcode != tc.rcode {
				t.Errorf("code %s", miekg.RcodeToString[reply.Rcode])
			}
			if tc.rcode != miekg.RcodeServerFailure {
				if diff := cmp.Diff(tc.want, short(reply.Answer)); diff != "" {
					t.Errorf("answer (-want +got):\n%s", diff)
				}
			}
			if soa := len(reply.Ns) == 1; soa != tc.soa {
				t.Errorf("authority %v", reply.Ns)
			}
		})
	}

	t.Run("Go resolves through it, with long answers over TCP", func(t *testing.T) {
		resolver := dns.Resolver(addr)
		hosts, err := resolver.LookupHost(t.Context(), "alias.shoot.local.test")
		if err != nil || !slices.Equal(hosts, []string{"127.0.0.2"}) {
			t.Errorf("hosts %q, %v", hosts, err)
		}
		text, err := resolver.LookupTXT(t.Context(), "long.shoot.local.test")
		if err != nil || len(text) != 1 || len(text[0]) != 3000 {
			t.Errorf("%d texts, %v", len(text), err)
		}
		_, err = resolver.LookupHost(t.Context(), "no.local.test")
		var notFound *net.DNSError
		if !errors.As(err, &notFound) || !notFound.IsNotFound {
			t.Errorf("got %v, want not found", err)
		}
	})
}

func TestServerWithoutUpstreams(t *testing.T) {
	addr := start(t, dns.Config{})
	reply, err := miekg.Exchange(new(miekg.Msg).SetQuestion("elsewhere.test.", miekg.TypeA), addr)
	if err != nil || reply.Rcode != miekg.RcodeNameError {
		t.Errorf("got %v, %v; want that the name does not exist", reply, err)
	}
}

func TestServerStopsCleanly(t *testing.T) {
	before := goleak.IgnoreCurrent()
	server := dns.New(dns.Config{Name: "dns", Address: "127.0.0.1:0", Upstreams: []string{}})
	for range 3 {
		if err := server.Start(t.Context()); err != nil {
			t.Fatal(err)
		}
		if err := server.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-server.Done()
	}
	goleak.VerifyNone(t, before)
}

func short(records []miekg.RR) []string {
	var out []string
	for _, record := range records {
		fields := strings.SplitN(record.String(), "\t", 5)
		out = append(out, fields[0]+" "+fields[3]+" "+fields[4])
	}
	return out
}
