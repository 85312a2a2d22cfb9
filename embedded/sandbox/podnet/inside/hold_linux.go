package inside

import (
	"encoding/binary"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"github.com/google/nftables/xt"
	"golang.org/x/sys/unix"

	"github.com/gardener-up/gardener-up/embedded/sandbox/podnet/handover"
)

// hold makes the kernel ask the daemon before a TCP connection to others begins. So a program sees that a connection is refused
// when it connects. Not every kernel can do that: without it, the connection is reset just after it has begun.
func hold(setup handover.Setup) {
	if refuse() != nil {
		return
	}
	for number, queue := range []expr.Any{
		&expr.Queue{Num: handover.Queue, Flag: expr.QueueFlagBypass},
		&expr.Target{Name: "NFQUEUE", Rev: 3, Info: queueByXtables()}, // where nftables has no such expression of its own
	} {
		var rules [][]expr.Any
		for _, destination := range destinations(setup) {
			if destination.own {
				rules = append(rules, join(destination.match, stay))
			} else {
				rules = append(rules, join(destination.match, isProtocol(unix.IPPROTO_TCP), begins, []expr.Any{queue}))
			}
		}
		before := nftables.ChainPriorityRef(*nftables.ChainPriorityNATDest - 20)
		name := []string{"hold", "hold-by-xtables"}[number]
		if apply(name, &nftables.Chain{Name: "hold", Type: nftables.ChainTypeFilter, Priority: before}, rules) == nil {
			return
		}
	}
}

// refuse makes the kernel reset what the daemon has marked.
func refuse() error {
	before := nftables.ChainPriorityRef(*nftables.ChainPriorityNATDest - 10)
	return apply("refuse", &nftables.Chain{Name: "refuse", Type: nftables.ChainTypeFilter, Priority: before}, [][]expr.Any{{
		&expr.Meta{Key: expr.MetaKeyMARK, Register: 1},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: binary.NativeEndian.AppendUint32(nil, handover.Refused)},
		&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1},
		&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{unix.IPPROTO_TCP}},
		&expr.Reject{Type: unix.NFT_REJECT_TCP_RST},
	}})
}

// begins matches the first packet of a TCP connection: of its flags FIN, SYN, RST and ACK only SYN is set.
var begins = []expr.Any{
	&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseTransportHeader, Offset: 13, Len: 1},
	&expr.Bitwise{SourceRegister: 1, DestRegister: 1, Len: 1, Mask: []byte{0x17}, Xor: []byte{0}},
	&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{0x02}},
}

// queueByXtables is the structure xt_NFQ_info_v3: number of the queue, count of queues, and the flag that nothing is held
// while nobody answers the queue.
func queueByXtables() *xt.Unknown {
	info := binary.NativeEndian.AppendUint16(nil, handover.Queue)
	info = binary.NativeEndian.AppendUint16(info, 1)
	info = binary.NativeEndian.AppendUint16(info, 1)
	unknown := xt.Unknown(append(info, 0, 0))
	return &unknown
}
