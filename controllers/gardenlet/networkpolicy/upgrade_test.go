package networkpolicy

import "testing"

func TestUnaware(t *testing.T) {
	for name, tc := range map[string]struct {
		labels map[string]string
		want   bool
	}{
		"NET-8 a component without labels for policies is of an earlier version": {labels: map[string]string{"app": "kubernetes", "role": "scheduler"}, want: true},
		"NET-8 an etcd, too": {labels: map[string]string{"app": "etcd-statefulset"}, want: true},
		"NET-8 a component that asks for something knows of policies": {
			labels: map[string]string{"app": "kubernetes", "networking.gardener.cloud/to-dns": "allowed"},
		},
		"NET-8 so does one that asks for a Service": {
			labels: map[string]string{"app": "gardener-resource-manager", "networking.resources.gardener.cloud/to-kube-apiserver-tcp-6443": "allowed"},
		},
		"NET-8 the tunnel's server makes no connections": {labels: map[string]string{"app": "vpn-seed-server"}},
		"NET-8 pods of others cannot keep anything open": {labels: map[string]string{"app": "something"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := unaware(tc.labels); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}
