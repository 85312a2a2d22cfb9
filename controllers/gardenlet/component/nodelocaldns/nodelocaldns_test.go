package nodelocaldns

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

func build(t *testing.T, v Values) (*appsv1.DaemonSet, string) {
	t.Helper()
	var daemonSet *appsv1.DaemonSet
	corefile := ""
	for _, object := range Objects(v) {
		switch o := object.(type) {
		case *appsv1.DaemonSet:
			daemonSet = o
		case *corev1.ConfigMap:
			corefile = o.Data["Corefile"]
		}
	}
	if daemonSet == nil || corefile == "" {
		t.Fatal("there is no DaemonSet or no Corefile")
	}
	return daemonSet, corefile
}

func TestDaemonSetIsCritical(t *testing.T) {
	t.Run("NOD-5 the DNS cache is awaited on new nodes and tolerates their taint", func(t *testing.T) {
		const critical = "node.gardener.cloud/critical-component"
		d, _ := build(t, Values{ClusterDNS: "100.64.0.10"})
		if d.Labels[critical] != "true" || d.Spec.Template.Labels[critical] != "true" {
			t.Errorf("labels: %v and %v", d.Labels, d.Spec.Template.Labels)
		}
		taint := corev1.Taint{Key: "node.gardener.cloud/critical-components-not-ready", Effect: corev1.TaintEffectNoSchedule}
		if !slices.ContainsFunc(d.Spec.Template.Spec.Tolerations, func(toleration corev1.Toleration) bool {
			return (toleration.Key == "" || toleration.Key == taint.Key) && (toleration.Effect == "" || toleration.Effect == taint.Effect) && toleration.Operator == corev1.TolerationOpExists
		}) {
			t.Errorf("tolerations: %v", d.Spec.Template.Spec.Tolerations)
		}
		if d.Spec.Template.Spec.NodeSelector["networking.gardener.cloud/node-local-dns-enabled"] != "true" || !d.Spec.Template.Spec.HostNetwork {
			t.Errorf("it runs elsewhere: %v", d.Spec.Template.Spec.NodeSelector)
		}
	})
}

func TestListensWhereItCan(t *testing.T) {
	for name, tc := range map[string]struct {
		ipvs             bool
		localIP, forward string
	}{
		"at the address of CoreDNS, too, where rules of packets lead to Services": {false, Address + ",100.64.0.10", "forward . __PILLAR__CLUSTER__DNS__"},
		"at its own address only, where nodes have those of Services":             {true, Address, "forward . 100.64.0.10"},
	} {
		t.Run(name, func(t *testing.T) {
			d, corefile := build(t, Values{ClusterDNS: "100.64.0.10", IPVS: tc.ipvs})
			args := d.Spec.Template.Spec.Containers[0].Args
			if i := slices.Index(args, "-localip"); args[i+1] != tc.localIP {
				t.Errorf("args: %v", args)
			}
			if !strings.Contains(corefile, "bind "+strings.ReplaceAll(tc.localIP, ",", " ")+"\n") || !strings.Contains(corefile, tc.forward+" {") {
				t.Errorf("Corefile:\n%s", corefile)
			}
		})
	}
}

func TestWayOfQueries(t *testing.T) {
	for name, tc := range map[string]struct {
		values         Values
		cluster, other string
	}{
		"by TCP everywhere":  {Values{ForceTCPToClusterDNS: true, ForceTCPToUpstreamDNS: true}, "force_tcp", "__PILLAR__UPSTREAM__SERVERS__ {\n        force_tcp"},
		"as they come":       {Values{}, "prefer_udp", "__PILLAR__UPSTREAM__SERVERS__ {\n        prefer_udp"},
		"all of them inside": {Values{ForceTCPToClusterDNS: true, DisableForwardToUpstreamDNS: true}, "force_tcp", "__PILLAR__CLUSTER__DNS__ {\n        force_tcp"},
	} {
		t.Run(name, func(t *testing.T) {
			_, corefile := build(t, tc.values)
			zones := strings.Split(corefile, "}\n.:53 {")
			if len(zones) != 2 || strings.Count(zones[0], tc.cluster) != 3 || !strings.Contains(zones[1], tc.other) {
				t.Errorf("Corefile:\n%s", corefile)
			}
		})
	}
}
