package contract_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	extensionsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/extensions/v1alpha1"
	"github.com/gardener-up/gardener-up/providers/contract"
)

func TestCluster(t *testing.T) {
	for name, tc := range map[string]struct {
		shoot            string
		onHold, sleeping bool
	}{
		"EXT-15 a healthy shoot is worked on":           {shoot: `{"status":{"lastOperation":{"state":"Processing"}}}`},
		"EXT-15 a failed shoot is left alone":           {shoot: `{"status":{"lastOperation":{"state":"Failed"}}}`, onHold: true},
		"EXT-15 an ignored shoot is left alone":         {shoot: `{"metadata":{"annotations":{"shoot.gardener.cloud/ignore":"true"}}}`, onHold: true},
		"EXT-15 a hibernated shoot is worked on":        {shoot: `{"spec":{"hibernation":{"enabled":true}}}`, sleeping: true},
		"EXT-15 a shoot with hibernation off is awake":  {shoot: `{"spec":{"hibernation":{"enabled":false}}}`},
		"EXT-15 a cluster without a shoot holds nobody": {},
	} {
		t.Run(name, func(t *testing.T) {
			cluster, err := contract.DecodeCluster(&extensionsv1alpha1.Cluster{
				ObjectMeta: metav1.ObjectMeta{Name: "shoot--p--s"},
				Spec:       extensionsv1alpha1.ClusterSpec{Shoot: runtime.RawExtension{Raw: []byte(tc.shoot)}},
			})
			if err != nil {
				t.Fatalf("decode: %v", err)
			}
			if got := cluster.OnHold() != ""; got != tc.onHold {
				t.Errorf("on hold is %v (%s), want %v", got, cluster.OnHold(), tc.onHold)
			}
			if got := cluster.Hibernated(); got != tc.sleeping {
				t.Errorf("hibernated is %v, want %v", got, tc.sleeping)
			}
		})
	}
	if (*contract.Cluster)(nil).OnHold() != "" || (*contract.Cluster)(nil).Hibernated() {
		t.Errorf("a missing cluster is on hold or hibernated")
	}
	broken := &extensionsv1alpha1.Cluster{Spec: extensionsv1alpha1.ClusterSpec{Seed: runtime.RawExtension{Raw: []byte("{")}}}
	if _, err := contract.DecodeCluster(broken); err == nil {
		t.Errorf("a broken document is no error")
	}
}
