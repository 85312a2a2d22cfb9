package health

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func TestLag(t *testing.T) {
	const sum = "2689367b205c16ce32ed4200942b8b8b1e262dfc70d9bc9fbc77c49699a4f1df" // of "ok"
	now := time.Now()
	secret := &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "gardener-node-agent-one", Labels: map[string]string{
			"gardener.cloud/role": "operating-system-config", "worker.gardener.cloud/pool": "one",
		}},
		Data: map[string][]byte{"osc.yaml": []byte("ok")},
	}
	node := func(name, pool, checksum string, age time.Duration) *corev1.Node {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{"worker.gardener.cloud/pool": pool}, Annotations: map[string]string{"checksum/cloud-config-data": checksum},
			CreationTimestamp: metav1.NewTime(now.Add(-age)),
		}}
	}
	shoot := fake.NewClientBuilder().WithObjects(secret, node("current", "one", sum, time.Hour), node("former", "one", "0", time.Minute),
		node("new", "one", "", time.Minute), node("silent", "one", "", time.Hour), node("stranger", "none", "", time.Hour), node("other", "two", sum, time.Hour)).Build()
	for name, tc := range map[string]struct {
		lag  Lag
		want []string
	}{
		"BST-13 nodes that have announced another configuration lag": {Lag{}, []string{"former", "other"}},
		"BST-13 nodes that have announced none lag, too, with time":  {Lag{Now: now}, []string{"former", "other", "silent"}},
		"nodes can be excepted": {Lag{Except: func(n *corev1.Node) bool { return n.Name == "other" }}, []string{"former"}},
	} {
		t.Run(name, func(t *testing.T) {
			if got, err := tc.lag.Nodes(t.Context(), shoot); err != nil || !slices.Equal(got, tc.want) {
				t.Errorf("they are %v, %v", got, err)
			}
		})
	}
}
