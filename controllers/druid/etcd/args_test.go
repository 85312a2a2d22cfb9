package etcd

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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
		"ETC-5 the list of free pages is kept as specified": {
			spec: druidv1alpha1.EtcdSpec{Etcd: druidv1alpha1.EtcdConfig{BackendBboltFreelistType: ptr.To(druidv1alpha1.BackendBboltFreelistType("map"))}},
			want: []string{"--quota-backend-bytes=8589934592", "--snapshot-count=1000", "--snapshot-catchup-entries=1", "--backend-bbolt-freelist-type=map"},
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

func TestOwnerFlags(t *testing.T) {
	duration := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	for name, tc := range map[string]struct {
		check  *druidv1alpha1.OwnerCheckSpec
		server string
		want   []string
	}{
		"MIG-14 an Etcd without an owner checks none": {},
		"MIG-14 the member checks the owner": {
			check: &druidv1alpha1.OwnerCheckSpec{Name: "owner.sun.sky.internal", ID: "earth"},
			want:  []string{"--owner-name=owner.sun.sky.internal", "--owner-id=earth"},
		},
		"MIG-14 it asks the name server that may rest": {
			check:  &druidv1alpha1.OwnerCheckSpec{Name: "owner.sun.sky.internal", ID: "earth"},
			server: "names.garden.svc:53",
			want:   []string{"--owner-name=owner.sun.sky.internal", "--owner-id=earth", "--owner-server=names.garden.svc:53"},
		},
		"MIG-14 it asks others for an owner that this one cannot know": {
			check:  &druidv1alpha1.OwnerCheckSpec{Name: "owner.sun.sky.example.org", ID: "earth"},
			server: "names.garden.svc:53",
			want:   []string{"--owner-name=owner.sun.sky.example.org", "--owner-id=earth"},
		},
		"MIG-14 an Etcd without an owner asks nobody": {server: "names.garden.svc:53"},
		"MIG-14 it checks at the times of the specification": {
			check: &druidv1alpha1.OwnerCheckSpec{Name: "owner.sun.sky.internal", ID: "earth", Interval: duration(time.Second), Timeout: duration(time.Minute), DNSCacheTTL: duration(time.Hour)},
			want: []string{
				"--owner-name=owner.sun.sky.internal", "--owner-id=earth", "--owner-check-interval=1s", "--owner-check-timeout=1m0s", "--owner-check-dns-cache-ttl=1h0m0s",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			etcd := &druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "e"}, Spec: druidv1alpha1.EtcdSpec{Replicas: 1, Backup: druidv1alpha1.BackupSpec{OwnerCheck: tc.check}}}
			var got []string
			for _, arg := range statefulSet(etcd, "image", bootstrap{}, (&Reconciler{OwnerServer: tc.server, OwnerDomain: "sky.internal"}).backups(etcd), nil).Spec.Template.Spec.Containers[0].Args {
				if arg == "--" {
					break // the flags of etcd follow
				}
				if strings.HasPrefix(arg, "--owner-") {
					got = append(got, arg)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
		})
	}
}

func TestClusterState(t *testing.T) {
	of := func(replicas int32, current *appsv1.StatefulSet) (*appsv1.StatefulSet, string) {
		etcd := &druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: "e"}, Spec: druidv1alpha1.EtcdSpec{Replicas: replicas}}
		set := statefulSet(etcd, "image", bootstrap{}, backups{}, current)
		for _, arg := range set.Spec.Template.Spec.Containers[0].Args {
			if state, found := strings.CutPrefix(arg, "--initial-cluster-state="); found {
				return set, state
			}
		}
		return set, ""
	}
	one, state := of(1, nil)
	if state != "new" {
		t.Errorf("a first member: %s", state)
	}
	three, state := of(3, nil)
	if state != "new" {
		t.Errorf("three members that begin together: %s", state)
	}
	if _, state = of(3, three); state != "new" {
		t.Errorf("three members that stay: %s, which restarts them", state)
	}
	scaled, state := of(3, one)
	if state != "existing" {
		t.Errorf("members that are added to one: %s", state)
	}
	if _, state = of(3, scaled); state != "existing" {
		t.Errorf("members that were added to one: %s", state)
	}
}
