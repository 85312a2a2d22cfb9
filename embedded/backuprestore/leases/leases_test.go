package leases

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/gardener-up/gardener-up/embedded/backuprestore/snapshot"
)

func TestProblem(t *testing.T) {
	named := func(name string) *coordinationv1.Lease {
		return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "shoot", Name: name}}
	}
	client := fake.NewClientset(named("etcd-main-0"), named("etcd-main-full-snap"), named("etcd-main-delta-snap")).CoordinationV1().Leases("shoot")
	r := &Reporter{Client: client, Lease: "etcd-main-0", FullLease: "etcd-main-full-snap", DeltaLease: "etcd-main-delta-snap"}
	full := &snapshot.Snapshot{Kind: snapshot.Full, End: 12, Created: time.Unix(1700000000, 0)}
	for _, step := range []struct{ name, role, problem, want string }{
		{"ETC-10 the leader says why it stores no snapshot", Leader, "no key", "no key"},
		{"ETC-10 a member that does not lead leaves it", Member, "", "no key"},
		{"ETC-10 the leader says when that is over", Leader, "", ""},
	} {
		t.Run(step.name, func(t *testing.T) {
			if err := r.Send(t.Context(), Report{Member: "a", Role: step.role, Problem: step.problem, Full: full, Latest: time.Unix(1700000001, 0)}); err != nil {
				t.Fatal(err)
			}
			lease, err := client.Get(t.Context(), r.FullLease, metav1.GetOptions{})
			if err != nil || lease.Annotations["backup.gardener.cloud/problem"] != step.want || lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity != "12" {
				t.Errorf("Lease %+v, %v", lease, err)
			}
		})
	}
}
