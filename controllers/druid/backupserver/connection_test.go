package backupserver

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

func TestLeader(t *testing.T) {
	etcd := &druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Name: "etcd-main"}}
	if got := leader(etcd); got != "etcd-main-0" {
		t.Errorf("the first member is %q", got)
	}
	etcd.Status.Members = []druidv1alpha1.EtcdMemberStatus{{Name: "etcd-main-0"}, {Name: "etcd-main-2", Role: ptr.To(druidv1alpha1.EtcdRoleLeader)}}
	if got := leader(etcd); got != "etcd-main-2" {
		t.Errorf("the leader is %q", got)
	}
}
