package loadbalancer

import (
	"net/netip"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/gardener-up/gardener-up/local/cloudcontroller/feed"
)

const (
	// mostAddresses is how many addresses a Service gets at most, mostOfNode how many of one node.
	mostAddresses, mostOfNode = 100, 4
	// mostNodes is how many nodes are known, at most.
	mostNodes = 1000
	// pause is how long changes of nodes are gathered before all Services are looked at.
	pause = 2 * time.Second
)

// everything is the request for all Services, after a change of the nodes.
var everything = reconcile.Request{}

// known has the addresses of nodes, by their names. It keeps mostNodes nodes with an address at most, and nothing else of what users write into
// Nodes.
type known struct {
	lock sync.Mutex
	// nodes are those of the last complete list, and what has changed since; nil before.
	nodes map[string][]netip.Addr
	// next are those of a list that is not complete; nil while there is none.
	next map[string][]netip.Addr
}

// begin is called before a list. The nodes of the last one count until it is complete.
func (k *known) begin() {
	k.lock.Lock()
	defer k.lock.Unlock()
	k.next = map[string][]netip.Addr{}
}

// complete is called after a list. All Services are looked at if it differs from what was known.
func (k *known) complete(queue feed.Queue) {
	k.lock.Lock()
	defer k.lock.Unlock()
	before, changed := k.nodes, k.nodes == nil || len(k.nodes) != len(k.next)
	k.nodes, k.next = k.next, nil
	for name, addresses := range k.nodes {
		changed = changed || !slices.Equal(before[name], addresses)
	}
	if changed {
		queue.AddAfter(everything, pause)
	}
}

// offer looks at a node. All Services are looked at after a while if its addresses have changed since the list.
func (k *known) offer(object client.Object, gone bool, queue feed.Queue) {
	node, ok := object.(*corev1.Node)
	if !ok {
		return
	}
	var now []netip.Addr
	if !gone {
		now = addressesOf(node)
	}
	k.lock.Lock()
	defer k.lock.Unlock()
	if k.next != nil {
		put(k.next, node.Name, now)
	} else if put(k.nodes, node.Name, now) {
		queue.AddAfter(everything, pause)
	}
}

// put reports whether it changes the addresses of a node. Nodes beyond the bound have none.
func put(nodes map[string][]netip.Addr, name string, addresses []netip.Addr) bool {
	before, found := nodes[name]
	if slices.Equal(before, addresses) || !found && len(nodes) >= mostNodes {
		return false
	}
	if nodes[name] = addresses; len(addresses) == 0 {
		delete(nodes, name)
	}
	return true
}

// addresses of all ready nodes, in their order. It is false if no list has been complete yet.
func (k *known) addresses() ([]string, bool) {
	k.lock.Lock()
	defer k.lock.Unlock()
	var all []netip.Addr
	for _, addresses := range k.nodes {
		all = append(all, addresses...)
	}
	slices.SortFunc(all, netip.Addr.Compare)
	all = slices.Compact(all)
	var texts []string
	for _, address := range all[:min(len(all), mostAddresses)] {
		texts = append(texts, address.String())
	}
	return texts, k.nodes != nil
}

// addressesOf are the internal addresses of a node that is ready and not being deleted: the first few, and no text that is not an address, which
// API servers accept.
func addressesOf(node *corev1.Node) []netip.Addr {
	if !ready(node) || node.DeletionTimestamp != nil {
		return nil
	}
	var out []netip.Addr
	for i := range node.Status.Addresses {
		if len(out) == mostOfNode {
			break
		}
		if node.Status.Addresses[i].Type != corev1.NodeInternalIP {
			continue
		}
		if address, err := netip.ParseAddr(node.Status.Addresses[i].Address); err == nil && address.Zone() == "" {
			out = append(out, address.Unmap())
		}
	}
	return out
}

func ready(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}
