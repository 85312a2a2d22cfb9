package network

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/node/networkcondition"
	"github.com/gardener-up/gardener-up/local/api"
)

var looked = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// telling is a ready node whose network is well but for the given conditions.
func telling(name string, but map[corev1.NodeConditionType]corev1.ConditionStatus) *corev1.Node {
	node := readyNode(name)
	for _, kind := range []corev1.NodeConditionType{networkcondition.Serves, networkcondition.NameServer, networkcondition.Pods, networkcondition.Services} {
		status := corev1.ConditionTrue
		if other, ok := but[kind]; ok {
			status = other
		}
		node.Status.Conditions = append(node.Status.Conditions, corev1.NodeCondition{
			Type: kind, Status: status, Message: "said of " + string(kind), LastHeartbeatTime: metav1.NewTime(looked.Add(-time.Minute)),
		})
	}
	return node
}

func TestExamineNodes(t *testing.T) {
	type but = map[corev1.NodeConditionType]corev1.ConditionStatus
	old := telling("old", nil)
	old.Status.Conditions[1].LastHeartbeatTime = metav1.NewTime(looked.Add(-time.Hour))
	goes := telling("goes", but{networkcondition.Serves: "False"})
	goes.Spec.Unschedulable = true
	ahead := telling("ahead", nil)
	ahead.Status.Conditions[1].LastHeartbeatTime = metav1.NewTime(looked.Add(time.Hour))
	twice := telling("twice", nil)
	twice.Status.Conditions = append(twice.Status.Conditions, telling("", but{networkcondition.Serves: "False", networkcondition.Pods: "False"}).Status.Conditions...)
	well := api.NetworkStatus{
		Components: map[string]bool{"pod-network": true}, NetworkModules: map[string]bool{"name-server": true}, ConnectivityTests: &api.ConnectivityTests{Pods: ptr.To(true), Services: ptr.To(true)},
	}
	for name, tc := range map[string]struct {
		nodes          []client.Object
		status         gardencorev1beta1.ConditionStatus
		reason, says   string
		want           api.NetworkStatus
		notMeasuredHas string
	}{
		"NWX-4 all nodes are well": {[]client.Object{telling("a", nil), telling("b", nil)}, "True", "NetworkHealthy", "connect", well, ""},
		"NWX-4 a node that others do not reach": {
			[]client.Object{telling("a", nil), telling("b", but{networkcondition.Serves: "False"})}, "False", "PodNetworkUnhealthy", "node b: PodNetworkServes is not true: said of PodNetworkServes",
			api.NetworkStatus{Components: map[string]bool{"pod-network": false}, NetworkModules: well.NetworkModules, ConnectivityTests: well.ConnectivityTests}, "",
		},
		"NWX-4 names that are not answered": {
			[]client.Object{telling("b", but{networkcondition.NameServer: "False"}), telling("c", nil)}, "False", "PodNetworkUnhealthy", "node b: NameServerAnswers",
			api.NetworkStatus{Components: well.Components, NetworkModules: map[string]bool{"name-server": false}, ConnectivityTests: well.ConnectivityTests}, "",
		},
		"NWX-4 pods that are not reached": {
			[]client.Object{telling("a", but{networkcondition.Pods: "False"}), telling("b", nil)}, "False", "ConnectivityTestFailed", "node a: PodsReachable",
			api.NetworkStatus{Components: well.Components, NetworkModules: well.NetworkModules, ConnectivityTests: &api.ConnectivityTests{Pods: ptr.To(false), Services: ptr.To(true)}}, "",
		},
		"NWX-4 Services that are not reached": {
			[]client.Object{telling("a", nil), telling("b", but{networkcondition.Services: "False"})}, "False", "ConnectivityTestFailed", "node b: ServicesReachable",
			api.NetworkStatus{Components: well.Components, NetworkModules: well.NetworkModules, ConnectivityTests: &api.ConnectivityTests{Pods: ptr.To(true), Services: ptr.To(false)}}, "",
		},
		"NWX-4 what was not tried is not claimed": {
			[]client.Object{telling("a", but{networkcondition.Services: "Unknown"})}, "True", "NetworkHealthy", "as far as they were tried",
			api.NetworkStatus{Components: well.Components, NetworkModules: well.NetworkModules, ConnectivityTests: &api.ConnectivityTests{Pods: ptr.To(true)}}, "",
		},
		"NWX-4 a node that has stopped telling":     {[]client.Object{old}, "Unknown", "NetworkNotTold", "node old has told nothing about its network since 2026-11-30T11:00:00Z", api.NetworkStatus{}, "node old"},
		"NWX-4 a node that tells from the future":   {[]client.Object{ahead}, "Unknown", "NetworkNotTold", "node ahead tells about its network in the future, at 2026-11-30T13:00:00Z", api.NetworkStatus{}, "node ahead"},
		"NWX-4 a node that tells the same twice":    {[]client.Object{twice}, "True", "NetworkHealthy", "", well, ""},
		"NWX-4 one of two that has stopped telling": {[]client.Object{old, telling("a", nil)}, "Unknown", "NetworkNotTold", "node old", well, "node old"},
		"NWX-4 what is bad weighs more than what is unknown": {
			[]client.Object{old, telling("a", but{networkcondition.Pods: "False"})}, "False", "ConnectivityTestFailed", "node a: PodsReachable",
			api.NetworkStatus{Components: well.Components, NetworkModules: well.NetworkModules, ConnectivityTests: &api.ConnectivityTests{Pods: ptr.To(false), Services: ptr.To(true)}}, "node old",
		},
		"NWX-4 a node that is about to go does not count": {[]client.Object{telling("a", nil), goes}, "True", "NetworkHealthy", "", well, ""},
		"NWX-4 a node that tells nothing yet":             {[]client.Object{telling("a", nil), readyNode("young")}, "True", "NetworkHealthy", "", well, "node young"},
		"NWX-4 nodes that simulate containers":            {[]client.Object{readyNode("a")}, "True", "NetworkNotMeasured", "simulates", api.NetworkStatus{}, "node a"},
		"NWX-4 no nodes":                                  {nil, "True", "NetworkNotMeasured", "no node", api.NetworkStatus{}, "no node is ready"},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := fake.NewClientBuilder().WithScheme(scheme.Scheme).WithObjects(tc.nodes...).Build()
			status := api.NetworkStatus{Components: map[string]bool{"former": true}, NotMeasured: "former"}
			finding, err := examineNodes(t.Context(), shoot, &status, looked)
			if err != nil {
				t.Fatal(err)
			}
			if finding.Status != tc.status || finding.Reason != tc.reason || !strings.Contains(finding.Message, tc.says) {
				t.Errorf("finding %+v", finding)
			}
			if said := status.NotMeasured; !strings.Contains(said, tc.notMeasuredHas) || tc.notMeasuredHas == "" && said != "" {
				t.Errorf("not measured is %q", said)
			}
			status.NotMeasured = ""
			if diff := cmp.Diff(tc.want, status); diff != "" {
				t.Errorf("status (-want +got):\n%s", diff)
			}
		})
	}
}

func TestToldIsBounded(t *testing.T) {
	told := told{now: looked, all: map[corev1.NodeConditionType]*bool{}}
	old := telling("old", nil)
	old.Status.Conditions[1].LastHeartbeatTime = metav1.NewTime(looked.Add(-time.Hour))
	bad := telling("bad", map[corev1.NodeConditionType]corev1.ConditionStatus{networkcondition.Serves: "False", networkcondition.Pods: "False"})
	for range 100 {
		told.add(readyNode("young"))
		told.add(old)
		told.add(bad)
	}
	for name, kept := range map[string]few{"silent": told.silent, "stale": told.stale, "ill": told.ill, "failed": told.failed} {
		if len(kept) != mostSaid {
			t.Errorf("NWX-4 of 100 nodes that are %s, %d are kept, want %d", name, len(kept), mostSaid)
		}
	}
}
