package loadbalancer

import (
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func newQueue() workqueue.TypedRateLimitingInterface[reconcile.Request] {
	return workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
}

func TestChangesOfNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		queue := newQueue()
		asked := func() bool {
			synctest.Wait()
			if queue.Len() > 0 {
				t.Error("GLT-30 services are looked at without a pause")
			}
			<-time.After(pause + time.Second)
			if queue.Len() == 0 {
				return false
			}
			item, _ := queue.Get()
			queue.Done(item)
			return item == everything && queue.Len() == 0
		}
		k, n, other := &known{}, node("10.0.0.3", corev1.ConditionTrue), node("10.0.0.4", corev1.ConditionTrue)
		n.Name, other.Name = "n", "other"
		list := func(nodes ...*corev1.Node) {
			k.begin()
			for _, n := range nodes {
				k.offer(n, false, queue)
			}
			k.complete(queue)
		}
		for _, step := range []struct {
			name string
			do   func()
			want bool
		}{
			{"the first list has begun", func() { k.begin(); k.offer(&other, false, queue) }, false},
			{"the first list, without nodes", func() { list() }, true},
			{"a new node", func() { k.offer(&n, false, queue) }, true},
			{"a regular report", func() { k.offer(&n, false, queue) }, false},
			{"it is not ready", func() { n.Status.Conditions[0].Status = corev1.ConditionUnknown; k.offer(&n, false, queue) }, true},
			{"it is ready again", func() { n.Status.Conditions[0].Status = corev1.ConditionTrue; k.offer(&n, false, queue) }, true},
			{"it is gone, and another one is there", func() { k.offer(&n, true, queue); k.offer(&other, false, queue) }, true},
			{"it is gone, told twice", func() { k.offer(&n, true, queue) }, false},
			{"the same list", func() { list(&other) }, false},
			{"a list with another node", func() { list(&n) }, true},
			{"a list with another address", func() { n.Status.Addresses[1].Address = "10.0.0.5"; list(&n) }, true},
			{"a list without it", func() { list() }, true},
		} {
			if step.do(); asked() != step.want {
				t.Errorf("GLT-30 %s: services are looked at: %v, want %v", step.name, !step.want, step.want)
			}
		}
		queue.ShutDown()
	})
}

func TestAddressesOfANode(t *testing.T) {
	for name, tc := range map[string]struct{ written, want []string }{
		"no address":                {[]string{"", "n", "10.0.0.0/8", "10.0.0.010", strings.Repeat("1", 1<<20), "10.0.0.1" + strings.Repeat(" ", 1<<20)}, nil},
		"a zone, which may be long": {[]string{"fe80::1%" + strings.Repeat("z", 1<<20), "fe80::2"}, []string{"fe80::2"}},
		"other forms of the same":   {[]string{"::ffff:10.0.0.1", "FD00:0::1"}, []string{"10.0.0.1", "fd00::1"}},
		"too many":                  {[]string{"10.0.0.9", "10.0.0.8", "x", "10.0.0.7", "10.0.0.6", "10.0.0.5"}, []string{"10.0.0.9", "10.0.0.8", "10.0.0.7", "10.0.0.6"}},
	} {
		n := node("x", corev1.ConditionTrue)
		for _, address := range tc.written {
			n.Status.Addresses = append(n.Status.Addresses, corev1.NodeAddress{Type: corev1.NodeInternalIP, Address: address})
		}
		var got []string
		for _, address := range addressesOf(&n) {
			got = append(got, address.String())
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("GLT-30 %s (-want +got):\n%s", name, diff)
		}
	}
}

func TestKnownIsBounded(t *testing.T) {
	queue := newQueue()
	defer queue.ShutDown()
	k := &known{}
	offer := func() {
		for i := range 3 * mostNodes {
			n := node(netip.AddrFrom4([4]byte{10, 1, byte(i / 256), byte(i)}).String(), corev1.ConditionTrue)
			n.Name = fmt.Sprint("n", i)
			k.offer(&n, false, queue)
		}
	}
	k.begin()
	offer()
	k.complete(queue)
	if len(k.nodes) != mostNodes {
		t.Errorf("GLT-30 of a list, %d nodes are kept", len(k.nodes))
	}
	k.begin()
	k.complete(queue)
	offer()
	if len(k.nodes) != mostNodes {
		t.Errorf("GLT-30 of a watch, %d nodes are kept", len(k.nodes))
	}
	first := node("10.0.0.1", corev1.ConditionTrue)
	first.Name = "n0"
	k.offer(&first, false, queue)
	if got, listed := k.addresses(); !listed || len(got) != mostAddresses || got[0] != "10.0.0.1" || got[1] != "10.1.0.1" {
		t.Errorf("GLT-30 %d addresses, %v", len(got), got)
	}
	k.offer(&first, true, queue)
	last := node("10.0.0.2", corev1.ConditionTrue)
	last.Name = "last"
	k.offer(&last, false, queue)
	if got, _ := k.addresses(); got[0] != "10.0.0.2" {
		t.Errorf("GLT-30 a node takes no place that became free: %v", got)
	}
}
