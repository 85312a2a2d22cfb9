package monitoring

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/component/prometheus"
	"github.com/gardener-up/gardener-up/controllers/operator/host"
)

func TestServes(t *testing.T) {
	set := func(replicas, ready int32) client.Object {
		return &appsv1.StatefulSet{
			ObjectMeta: metav1.ObjectMeta{Namespace: "garden", Name: prometheus.Garden},
			Spec:       appsv1.StatefulSetSpec{Replicas: ptr.To(replicas)}, Status: appsv1.StatefulSetStatus{ReadyReplicas: ready},
		}
	}
	for name, tc := range map[string]struct {
		there  []client.Object
		serves bool
	}{
		"OPR-22 a Prometheus with a ready pod serves":                      {[]client.Object{set(1, 1)}, true},
		"OPR-22 a Prometheus without a ready pod does not serve":           {[]client.Object{set(1, 0)}, false},
		"OPR-22 a Prometheus that somebody has scaled down does not serve": {[]client.Object{set(0, 0)}, false},
		"OPR-22 a Prometheus that is missing does not serve":               {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			m := Monitoring{Client: fake.NewClientBuilder().WithObjects(tc.there...).Build(), Namespace: "garden"}
			if err := m.Serves(t.Context()); (err == nil) != tc.serves {
				t.Error(err)
			}
		})
	}
}

func TestComponents(t *testing.T) {
	t.Run("OPR-17 the Prometheus is deployed, and of the others it is said why they are not", func(t *testing.T) {
		for _, one := range (Monitoring{}).Components() {
			if one.Group != host.Observability || (one.Serves != nil) != (one.Name == prometheus.Garden) || (one.Absent == "") != (one.Serves != nil) {
				t.Errorf("component %+v", one)
			}
		}
	})
}
