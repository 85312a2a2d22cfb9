package inside

import (
	"fmt"
	"net"
	"net/netip"
	"slices"

	"github.com/google/nftables"
	"github.com/google/nftables/binaryutil"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/handover"
)

var loopback = netip.MustParsePrefix("127.0.0.0/8")

// redirect makes the kernel lead what the pod sends to others to the port of the daemon.
func redirect(setup handover.Setup, port uint16) error {
	var rules [][]expr.Any
	for _, destination := range destinations(setup) {
		if destination.own {
			rules = append(rules, join(destination.match, stay))
			continue
		}
		for _, protocol := range []byte{unix.IPPROTO_TCP, unix.IPPROTO_UDP} {
			rules = append(rules, join(destination.match, isProtocol(protocol), toPort(port)))
		}
	}
	err := apply("pod", &nftables.Chain{Name: "redirect", Type: nftables.ChainTypeNAT, Priority: nftables.ChainPriorityNATDest}, rules)
	if err != nil {
		return fmt.Errorf("redirect the pod's connections by nftables (needs the kernel's modules nf_tables, nft_redir, nf_conntrack): %w", err)
	}
	return nil
}

// apply makes a table with one chain for what the pod sends.
func apply(table string, chain *nftables.Chain, rules [][]expr.Any) error {
	conn, err := nftables.New()
	if err != nil {
		return err
	}
	chain.Table = conn.AddTable(&nftables.Table{Family: nftables.TableFamilyIPv4, Name: table})
	chain.Hooknum = nftables.ChainHookOutput
	conn.AddChain(chain)
	for _, rule := range rules {
		conn.AddRule(&nftables.Rule{Table: chain.Table, Chain: chain, Exprs: rule})
	}
	return conn.Flush()
}

// destination is a range of addresses.
type destination struct {
	match []expr.Any
	own   bool // what is sent there stays in the pod
}

// destinations are all addresses. The first that matches counts.
func destinations(setup handover.Setup) []destination {
	all := []destination{{match: isIn(netip.PrefixFrom(setup.Address, 32)), own: true}}
	for _, prefix := range setup.Landscape {
		all = append(all, destination{match: isIn(prefix)})
	}
	return append(all, destination{match: isIn(loopback), own: true}, destination{})
}

var stay = []expr.Any{&expr.Verdict{Kind: expr.VerdictAccept}}

func join(parts ...[]expr.Any) []expr.Any { return slices.Concat(parts...) }

// isIn matches packets to an address of the range.
func isIn(prefix netip.Prefix) []expr.Any {
	return []expr.Any{
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: 16, Len: net.IPv4len},
		&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: net.IPv4len, Mask: net.CIDRMask(prefix.Bits(), 32), Xor: make([]byte, net.IPv4len)},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: prefix.Masked().Addr().AsSlice()},
	}
}

func isProtocol(number byte) []expr.Any {
	return []expr.Any{
		&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{number}},
	}
}

func toPort(port uint16) []expr.Any {
	return []expr.Any{
		&expr.Immediate{Register: 1, Data: binaryutil.BigEndian.PutUint16(port)},
		&expr.Redir{RegisterProtoMin: 1, Flags: unix.NF_NAT_RANGE_PROTO_SPECIFIED},
	}
}
