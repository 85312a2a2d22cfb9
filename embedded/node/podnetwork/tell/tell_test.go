package tell

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/gardener-up/gardener-up/embedded/node/networkcondition"
	"github.com/gardener-up/gardener-up/embedded/node/podnetwork"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func node(name, address string, ready corev1.ConditionStatus) *corev1.Node {
	return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}, Status: corev1.NodeStatus{
		Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: ready}}, Addresses: []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: address}},
	}}
}

// telling is a ready node that told about its network some time ago.
func telling(name, address string, ago time.Duration) *corev1.Node {
	out := node(name, address, "True")
	out.Status.Conditions = append(out.Status.Conditions, corev1.NodeCondition{
		Type: networkcondition.Serves, Status: corev1.ConditionTrue, LastHeartbeatTime: metav1.NewTime(time.Now().Add(-ago)),
	})
	return out
}

func TestRun(t *testing.T) {
	t.Run("NWX-4 a node tells how its network is, and when that changes", func(t *testing.T) { synctest.Test(t, tells) })
	t.Run("NWX-4 a node tells that its network never came up", func(t *testing.T) { synctest.Test(t, hangs) })
}

// hangs has trials that end with their contexts, as those of a network that does not know its Services yet.
func hangs(t *testing.T) {
	client := fake.NewClientset(node("a", "127.64.0.1", "True"))
	ctx, cancel := context.WithCancel(t.Context())
	go Run(ctx, Config{
		Client: punctual{client}, Node: "a", Own: netip.MustParseAddr("127.128.0.0"), Log: logr.Discard(),
		Responder: func(node netip.Addr) (netip.Addr, error) { return node.Next(), nil },
		Try: func(ctx context.Context, _ netip.Addr, _ []netip.Addr) podnetwork.Trial {
			<-ctx.Done()
			err := fmt.Errorf("nothing is known: %w", context.Cause(ctx))
			return podnetwork.Trial{Serves: err, Names: err, Pods: err, Services: err}
		},
	})
	<-time.After(2*trialTimeout + 2*pause)
	synctest.Wait()
	found, err := client.CoreV1().Nodes().Get(ctx, "a", metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	ill := 0
	for _, condition := range found.Status.Conditions {
		if condition.Status == corev1.ConditionFalse && strings.Contains(condition.Message, "nothing is known: context deadline exceeded") {
			ill++
		}
	}
	if ill != 4 {
		t.Errorf("%d of four conditions tell it: %+v", ill, found.Status.Conditions)
	}
	before := len(client.Actions())
	cancel()
	synctest.Wait()
	for _, action := range client.Actions()[before:] {
		if action.GetVerb() == "patch" {
			t.Error("a trial that ended with the process was told")
		}
	}
}

func tells(t *testing.T) {
	client := fake.NewClientset(
		node("a", "127.64.0.1", "True"), telling("b", "127.64.0.2", time.Minute), telling("d", "none", 0), telling("0", "127.64.0.9", 2*time.Minute),
		node("c", "127.64.0.3", "False"), node("old", "127.64.0.4", "True"), telling("away", "127.64.0.5", networkcondition.Stale),
	)
	var trial podnetwork.Trial
	var tried []netip.Addr
	tries, passing := 0, false // passing failures are gone at the second try
	ctx, cancel := context.WithCancel(t.Context())
	go Run(ctx, Config{
		Client: client, Node: "a", Own: netip.MustParseAddr("127.128.0.0"), Log: logr.Discard(),
		Responder: func(node netip.Addr) (netip.Addr, error) { return node.Next(), nil },
		Try: func(_ context.Context, _ netip.Addr, others []netip.Addr) podnetwork.Trial {
			tried = others
			if tries++; passing {
				passing = false
				return podnetwork.Trial{Pods: errors.New("a pod goes")}
			}
			return trial
		},
	})
	said := func() map[corev1.NodeConditionType]corev1.ConditionStatus {
		synctest.Wait()
		found, err := client.CoreV1().Nodes().Get(ctx, "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		out := map[corev1.NodeConditionType]corev1.ConditionStatus{}
		for _, condition := range found.Status.Conditions {
			out[condition.Type] = condition.Status
		}
		return out
	}
	writes := func() (n int) {
		for _, action := range client.Actions() {
			if action.GetVerb() == "patch" {
				n++
			}
		}
		return n
	}
	well := map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeReady: "True", networkcondition.Serves: "True", networkcondition.NameServer: "True", networkcondition.Pods: "True", networkcondition.Services: "True",
	}
	if diff := cmp.Diff(well, said()); diff != "" {
		t.Errorf("at first (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"127.64.0.3", "127.64.0.10"}, texts(tried)); diff != "" {
		t.Errorf("tried are (-want +got), without nodes that are not ready or tell nothing:\n%s", diff)
	}
	passing = true
	<-time.After(period + 2*pause)
	if diff := cmp.Diff(well, said()); diff != "" || passing {
		t.Errorf("after something that passes (-want +got):\n%s", diff)
	}
	if n := writes(); n != 1 {
		t.Errorf("%d writes of the same", n)
	}
	trial = podnetwork.Trial{Serves: errors.New("no socket"), Services: podnetwork.ErrNothing}
	<-time.After(period + 2*pause)
	ill := map[corev1.NodeConditionType]corev1.ConditionStatus{
		corev1.NodeReady: "True", networkcondition.Serves: "False", networkcondition.NameServer: "True", networkcondition.Pods: "True", networkcondition.Services: "Unknown",
	}
	if diff := cmp.Diff(ill, said()); diff != "" {
		t.Errorf("after something broke (-want +got):\n%s", diff)
	}
	before := writes()
	<-time.After(10 * time.Minute)
	if n := writes() - before; n < 5 || n > 10 {
		t.Errorf("%d writes in ten minutes, of which readers want one in %s at least", n, networkcondition.Stale)
	}
	trial = podnetwork.Trial{}
	<-time.After(period + 2*pause)
	if diff := cmp.Diff(well, said()); diff != "" {
		t.Errorf("after it was mended (-want +got):\n%s", diff)
	}
	cancel()
	synctest.Wait()
}

func texts(all []netip.Addr) (out []string) {
	for _, address := range all {
		out = append(out, address.String())
	}
	return out
}
