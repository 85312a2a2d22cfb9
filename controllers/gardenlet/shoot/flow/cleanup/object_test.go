package cleanup

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestKept(t *testing.T) {
	for name, tc := range map[string]struct {
		kind, namespace, name string
		labels                map[string]string
		want                  bool
	}{
		"a Deployment of a user goes":                             {kind: "Deployment", namespace: "default", name: "web"},
		"CLN-9 an object marked so stays":                         {kind: "Deployment", namespace: "default", name: "csi", labels: map[string]string{"shoot.gardener.cloud/no-cleanup": "true"}, want: true},
		"CLN-8 a system component stays":                          {kind: "Pod", namespace: "kube-system", name: "coredns", labels: map[string]string{"gardener.cloud/role": "system-component"}, want: true},
		"the Service kubernetes stays":                            {kind: "Service", namespace: "default", name: "kubernetes", want: true},
		"a Service kubernetes elsewhere goes":                     {kind: "Service", namespace: "other", name: "kubernetes"},
		"an APIService that the server registers by itself stays": {kind: "APIService", name: "v1.apps", labels: map[string]string{"kube-aggregator.kubernetes.io/automanaged": "onstart"}, want: true},
		"an APIService of a user goes":                            {kind: "APIService", name: "v1.metrics"},
	} {
		t.Run(name, func(t *testing.T) {
			object := &metav1.PartialObjectMetadata{
				TypeMeta:   metav1.TypeMeta{Kind: tc.kind},
				ObjectMeta: metav1.ObjectMeta{Namespace: tc.namespace, Name: tc.name, Labels: tc.labels},
			}
			if got := Kept(object); got != tc.want {
				t.Errorf("kept: %v, want %v", got, tc.want)
			}
		})
	}
}
