package dns

import (
	"slices"
	"strings"

	"github.com/go-logr/logr"
	"github.com/miekg/dns"
)

const (
	// maxAliases bounds how many CNAMEs one answer follows.
	maxAliases = 8
	// negativeTTL is how long clients may cache that a name does not exist, in seconds. It is short because names
	// appear soon.
	negativeTTL = 1
)

// handler answers questions from the cluster, the zone and the upstreams, in this order.
type handler struct {
	cluster  cluster
	zone     *Zone
	domains  []string
	upstream *upstream
	log      logr.Logger
}

// answer is what is known about a name. The zero value means that another source has to be asked.
type answer struct {
	own     string // apex of our zone that contains the name; empty if none does
	exists  bool   // the name has records of some type
	records []dns.RR
	unknown bool // the name is in our zone, but not known yet
}

// ServeDNS implements dns.Handler.
func (h *handler) ServeDNS(w dns.ResponseWriter, request *dns.Msg) {
	reply := new(dns.Msg).SetReply(request)
	reply.RecursionAvailable = true
	if len(request.Question) != 1 || request.Opcode != dns.OpcodeQuery {
		reply.Rcode = dns.RcodeNotImplemented
	} else {
		h.resolve(reply, request)
	}
	if opt := request.IsEdns0(); opt != nil {
		reply.SetEdns0(opt.UDPSize(), false)
	}
	if w.RemoteAddr().Network() == "udp" {
		size := dns.MinMsgSize
		if opt := request.IsEdns0(); opt != nil {
			size = max(size, int(opt.UDPSize()))
		}
		reply.Truncate(size)
	}
	if err := w.WriteMsg(reply); err != nil {
		h.log.V(1).Info("Answer could not be sent", "error", err.Error())
	}
}

// resolve fills reply and follows aliases.
func (h *handler) resolve(reply, request *dns.Msg) {
	question := request.Question[0]
	name := dns.CanonicalName(question.Name)
	for range maxAliases {
		found := h.lookup(name, question.Qtype)
		switch {
		case found.unknown:
			reply.Rcode = dns.RcodeServerFailure
			return
		case found.own == "" && !found.exists:
			h.upstream.resolve(reply, request, name, question.Qtype)
			return
		}
		reply.Authoritative = true
		reply.Answer = append(reply.Answer, withOwner(found.records, ownerOf(name, question))...)
		if alias := target(found.records); alias != "" && question.Qtype != dns.TypeCNAME {
			name = alias
			continue
		}
		if len(found.records) == 0 {
			reply.Ns = append(reply.Ns, soa(found.own))
			if !found.exists && len(reply.Answer) == 0 {
				reply.Rcode = dns.RcodeNameError
			}
		}
		return
	}
	reply.Rcode = dns.RcodeServerFailure // circular aliases
}

func (h *handler) lookup(name string, qtype uint16) answer {
	if found := h.cluster.lookup(name, qtype); found.own != "" {
		return found
	}
	var found answer
	if i := slices.IndexFunc(h.domains, func(domain string) bool { return dns.IsSubDomain(domain, name) }); i >= 0 {
		found.own = h.domains[i]
		found.exists = name == found.own
	}
	if h.zone != nil {
		records, exists := h.zone.lookup(name, qtype)
		found.records, found.exists = records, found.exists || exists
		if exists && found.own == "" {
			found.own = name
		}
	}
	return found
}

// ownerOf keeps the spelling of the question for its own name.
func ownerOf(name string, question dns.Question) string {
	if name == dns.CanonicalName(question.Name) {
		return question.Name
	}
	return name
}

func withOwner(records []dns.RR, owner string) []dns.RR {
	for _, record := range records {
		record.Header().Name = owner
	}
	return records
}

// target is the name that the records point to if they are an alias.
func target(records []dns.RR) string {
	if len(records) == 1 {
		if cname, ok := records[0].(*dns.CNAME); ok {
			return dns.CanonicalName(cname.Target)
		}
	}
	return ""
}

func soa(zone string) dns.RR {
	below := strings.TrimPrefix(zone, ".") // the root has no dot before it
	return &dns.SOA{
		Hdr: dns.RR_Header{Name: zone, Rrtype: dns.TypeSOA, Class: dns.ClassINET, Ttl: negativeTTL},
		Ns:  "ns." + below, Mbox: "hostmaster." + below,
		Serial: 1, Refresh: 3600, Retry: 600, Expire: 86400, Minttl: negativeTTL,
	}
}

func header(rrtype uint16, ttl uint32) dns.RR_Header {
	return dns.RR_Header{Rrtype: rrtype, Class: dns.ClassINET, Ttl: ttl}
}
