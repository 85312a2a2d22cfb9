package etcd

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/utils/ptr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

func TestLimits(t *testing.T) {
	for name, tc := range map[string]struct {
		spec druidv1alpha1.EtcdSpec
		want []string
	}{
		"APP-5 an etcd without a quota has one": {
			want: []string{"--quota-backend-bytes=8589934592", "--snapshot-count=1000", "--snapshot-catchup-entries=1"},
		},
		"APP-5 quota and snapshots are those of the specification": {
			spec: druidv1alpha1.EtcdSpec{Etcd: druidv1alpha1.EtcdConfig{Quota: ptr.To(resource.MustParse("1Gi")), SnapshotCount: ptr.To[int64](75000)}},
			want: []string{"--quota-backend-bytes=1073741824", "--snapshot-count=75000", "--snapshot-catchup-entries=1"},
		},
		"members that lag behind catch up": {
			spec: druidv1alpha1.EtcdSpec{Replicas: 3},
			want: []string{"--quota-backend-bytes=8589934592", "--snapshot-count=1000", "--snapshot-catchup-entries=500"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, tuningArgs(&tc.spec)); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
		})
	}
}
