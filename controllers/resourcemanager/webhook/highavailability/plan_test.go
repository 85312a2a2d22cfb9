package highavailability_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/resourcemanager/webhook/highavailability"
)

const prefix = "high-availability-config.resources.gardener.cloud/"

func TestReplicas(t *testing.T) {
	for name, tc := range map[string]struct {
		tolerance *string
		kind      string
		want      *int32
	}{
		"GRM-38 a controller that need not survive failures has one": {ptr.To(""), "controller", ptr.To[int32](1)},
		"GRM-38 a controller that has to survive a node has two":     {ptr.To("node"), "controller", ptr.To[int32](2)},
		"GRM-38 a controller without a word about failures has two":  {nil, "controller", ptr.To[int32](2)},
		"GRM-38 a server always has two":                             {ptr.To(""), "server", ptr.To[int32](2)},
		"GRM-38 other workloads are left alone":                      {ptr.To("zone"), "", nil},
	} {
		t.Run(name, func(t *testing.T) {
			got := highavailability.Setting{FailureTolerance: tc.tolerance}.Replicas(tc.kind)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("replicas (-want +got):\n%s", diff)
			}
		})
	}
}

func TestConstraints(t *testing.T) {
	for name, tc := range map[string]struct {
		annotations map[string]string
		replicas    int32
		hostSpread  bool
		want        []string
	}{
		"GRM-38 one replica needs none":                       {map[string]string{prefix + "zones": "a,b"}, 1, false, nil},
		"GRM-38 hosts are a wish without failure tolerance":   {nil, 2, false, []string{"kubernetes.io/hostname 1 ScheduleAnyway"}},
		"GRM-38 hosts are a must with failure tolerance":      {map[string]string{prefix + "failure-tolerance-type": "node"}, 2, false, []string{"kubernetes.io/hostname 1 DoNotSchedule"}},
		"GRM-38 hosts are a must when the workload says so":   {nil, 2, true, []string{"kubernetes.io/hostname 1 DoNotSchedule"}},
		"GRM-38 one zone is none to spread over":              {map[string]string{prefix + "zones": "a"}, 2, false, []string{"kubernetes.io/hostname 1 ScheduleAnyway"}},
		"GRM-38 two zones are a must":                         {map[string]string{prefix + "zones": "b, a"}, 2, false, []string{"kubernetes.io/hostname 1 ScheduleAnyway", "topology.kubernetes.io/zone 1 DoNotSchedule"}},
		"GRM-38 many replicas leave room for rolling updates": {map[string]string{prefix + "zones": "b,a"}, 4, false, []string{"kubernetes.io/hostname 1 ScheduleAnyway", "topology.kubernetes.io/zone 2 DoNotSchedule"}},
	} {
		t.Run(name, func(t *testing.T) {
			labels := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}}
			var got []string
			for _, c := range highavailability.SettingOf(tc.annotations).Constraints(tc.replicas, labels, tc.hostSpread) {
				got = append(got, fmt.Sprintf("%s %d %s", c.TopologyKey, c.MaxSkew, c.WhenUnsatisfiable))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("constraints (-want +got):\n%s", diff)
			}
		})
	}
}
