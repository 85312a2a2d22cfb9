package dns

import (
	"net"
	"time"

	"github.com/miekg/dns"
)

const (
	upstreamTimeout = 2 * time.Second
	resolvConf      = "/etc/resolv.conf"
)

// upstream asks other resolvers, one after the other.
type upstream struct {
	servers []string // host:port
}

// newUpstream leaves out the server's own address, because /etc/resolv.conf may contain it.
func newUpstream(servers []string, own string) *upstream {
	u := &upstream{}
	for _, server := range servers {
		if server != own {
			u.servers = append(u.servers, server)
		}
	}
	return u
}

// systemUpstreams are the machine's resolvers; none if the file is unreadable.
func systemUpstreams() []string {
	config, err := dns.ClientConfigFromFile(resolvConf)
	if err != nil {
		return nil
	}
	var servers []string
	for _, server := range config.Servers {
		servers = append(servers, net.JoinHostPort(server, config.Port))
	}
	return servers
}

// resolve appends to reply the answer of the first resolver that responds. Without a resolver the name does not
// exist. Clients accept that at once, while a failure would make them retry.
func (u *upstream) resolve(reply, request *dns.Msg, name string, qtype uint16) {
	if len(u.servers) == 0 {
		if len(reply.Answer) == 0 {
			reply.Rcode = dns.RcodeNameError
		}
		return
	}
	query := new(dns.Msg).SetQuestion(name, qtype)
	query.RecursionDesired = true
	if opt := request.IsEdns0(); opt != nil {
		query.SetEdns0(dns.DefaultMsgSize, opt.Do())
	}
	for _, server := range u.servers {
		answer := exchange(query, server)
		if answer == nil {
			continue
		}
		reply.Rcode = answer.Rcode
		reply.Answer = append(reply.Answer, answer.Answer...)
		reply.Ns = append(reply.Ns, answer.Ns...)
		reply.AuthenticatedData = answer.AuthenticatedData
		return
	}
	reply.Rcode = dns.RcodeServerFailure
}

// exchange returns nil if the resolver does not answer or fails.
func exchange(query *dns.Msg, server string) *dns.Msg {
	client := &dns.Client{Net: "udp", Timeout: upstreamTimeout, UDPSize: dns.DefaultMsgSize}
	answer, _, err := client.Exchange(query, server)
	if err == nil && answer.Truncated {
		client.Net = "tcp"
		answer, _, err = client.Exchange(query, server)
	}
	if err != nil || answer.Rcode == dns.RcodeServerFailure || answer.Rcode == dns.RcodeRefused {
		return nil
	}
	return answer
}
