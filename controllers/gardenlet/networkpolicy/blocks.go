package networkpolicy

import (
	"net/netip"
	"slices"

	networkingv1 "k8s.io/api/networking/v1"
)

var (
	public = []string{"0.0.0.0/0", "::/0"}
	// private are the ranges of RFC 1918, RFC 6598 and RFC 4193.
	private = []string{"10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16", "100.64.0.0/10", "fc00::/7"}
	// local are the link-local ranges.
	local = []string{"127.0.0.0/8", "169.254.0.0/16", "fe80::/10"}
)

// blocks makes one rule for all ranges, with the unwanted ranges as exceptions. A range that exceptions cover
// completely is left out.
func blocks(ranges, without []string) []networkingv1.NetworkPolicyEgressRule {
	var peers []networkingv1.NetworkPolicyPeer
	for _, text := range ranges {
		prefix, ok := parse(text)
		if !ok {
			continue
		}
		except, all := exceptions(prefix, without)
		if !all {
			peers = append(peers, ipBlock(prefix.String(), except))
		}
	}
	if len(peers) == 0 {
		return nil
	}
	return []networkingv1.NetworkPolicyEgressRule{{To: peers}}
}

// exceptions returns the ranges inside of prefix, sorted and without those inside of others. all reports whether one of
// them covers prefix completely.
func exceptions(prefix netip.Prefix, ranges []string) (except []string, all bool) {
	var inside []netip.Prefix
	for _, text := range ranges {
		candidate, ok := parse(text)
		switch {
		case !ok || !candidate.Overlaps(prefix):
		case candidate.Bits() <= prefix.Bits():
			return nil, true
		default:
			inside = append(inside, candidate)
		}
	}
	slices.SortFunc(inside, func(a, b netip.Prefix) int {
		if a.Addr() != b.Addr() {
			return a.Addr().Compare(b.Addr())
		}
		return a.Bits() - b.Bits()
	})
	var last netip.Prefix
	for _, candidate := range inside {
		if last.IsValid() && last.Overlaps(candidate) {
			continue // of two ranges, the larger one first
		}
		last = candidate
		except = append(except, candidate.String())
	}
	return except, false
}

func ipBlock(cidr string, except []string) networkingv1.NetworkPolicyPeer {
	return networkingv1.NetworkPolicyPeer{IPBlock: &networkingv1.IPBlock{CIDR: cidr, Except: except}}
}

func parse(text string) (netip.Prefix, bool) {
	prefix, err := netip.ParsePrefix(text)
	return prefix.Masked(), err == nil
}

// host returns the range of one address; it is empty if the text is not an address.
func host(address string) string {
	addr, err := netip.ParseAddr(address)
	if err != nil {
		return ""
	}
	return netip.PrefixFrom(addr.Unmap(), addr.Unmap().BitLen()).String()
}

// hosts returns the ranges of the addresses of endpoints.
func hosts(endpoints []Endpoint) []string {
	var out []string
	for _, endpoint := range endpoints {
		out = append(out, host(endpoint.Address))
	}
	return out
}

// nth returns the n-th address of a range; it is empty if the range has none.
func nth(text string, n int) string {
	prefix, ok := parse(text)
	if !ok {
		return ""
	}
	addr := prefix.Addr()
	for range n {
		addr = addr.Next()
	}
	if !prefix.Contains(addr) {
		return ""
	}
	return addr.String()
}

func concat(lists ...[]string) []string { return slices.Concat(lists...) }
