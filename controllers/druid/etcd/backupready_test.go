package etcd

import (
	"strings"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

func TestBackupReady(t *testing.T) {
	now := time.Date(2026, 11, 24, 12, 0, 0, 0, time.Local)
	ago := func(d time.Duration) *time.Time { return ptr.To(now.Add(-d)) }
	for name, tc := range map[string]struct {
		served, full, delta *time.Time
		asleep              bool
		problem             string
		want                druidv1alpha1.ConditionStatus
		reason              string
	}{
		"ETC-8 before the first report nothing is known":         {served: ago(time.Minute), want: "Unknown", reason: "Unknown"},
		"ETC-8 a first backup that does not come is a failure":   {served: ago(2 * time.Hour), want: "False", reason: "BackupFailed"},
		"ETC-8 recent snapshots are a success":                   {served: ago(time.Hour), full: ago(9 * time.Hour), delta: ago(4 * time.Minute), want: "True", reason: "BackupSucceeded"},
		"ETC-8 a delta snapshot may be late once":                {served: ago(time.Hour), full: ago(9 * time.Hour), delta: ago(9 * time.Minute), want: "True", reason: "BackupSucceeded"},
		"ETC-8 two missing delta snapshots are a failure":        {served: ago(time.Hour), full: ago(9 * time.Hour), delta: ago(11 * time.Minute), want: "False", reason: "BackupFailed"},
		"ETC-8 they are also if the member does not serve":       {full: ago(9 * time.Hour), delta: ago(11 * time.Minute), want: "False", reason: "BackupFailed"},
		"ETC-8 a member that has just begun is not late":         {served: ago(time.Minute), full: ago(9 * time.Hour), delta: ago(8 * time.Hour), want: "True", reason: "BackupSucceeded"},
		"ETC-7 a missing full snapshot is a failure":             {served: ago(40 * time.Hour), full: ago(34 * time.Hour), delta: ago(time.Minute), want: "False", reason: "BackupFailed"},
		"ETC-7 after a long sleep the full snapshot is not late": {served: ago(time.Minute), full: ago(34 * time.Hour), delta: ago(time.Minute), want: "True", reason: "BackupSucceeded"},
		"ETC-10 a member that may not store snapshots says why":  {served: ago(time.Minute), full: ago(9 * time.Hour), delta: ago(time.Minute), problem: "no key", want: "False", reason: "BackupFailed"},
		"a hibernated etcd makes no backups":                     {asleep: true, full: ago(99 * time.Hour), delta: ago(99 * time.Hour), want: "Unknown", reason: "NotChecked"},
	} {
		t.Run(name, func(t *testing.T) {
			etcd := &druidv1alpha1.Etcd{ObjectMeta: metav1.ObjectMeta{Name: "etcd-main"}, Spec: druidv1alpha1.EtcdSpec{
				Replicas: 1, Backup: druidv1alpha1.BackupSpec{FullSnapshotSchedule: ptr.To("0 3 * * *"), DeltaSnapshotPeriod: &metav1.Duration{Duration: 5 * time.Minute}},
			}}
			if tc.asleep {
				etcd.Spec.Replicas = 0
			}
			if tc.served != nil {
				etcd.Status.Conditions = []druidv1alpha1.Condition{{Type: "Ready", Status: "True", LastTransitionTime: metav1.NewTime(*tc.served)}}
			}
			told := reports{expected: true, leases: map[string]*coordinationv1.Lease{}}
			for lease, at := range map[string]*time.Time{"etcd-main-full-snap": tc.full, "etcd-main-delta-snap": tc.delta} {
				if at != nil {
					told.leases[lease] = &coordinationv1.Lease{Spec: coordinationv1.LeaseSpec{RenewTime: ptr.To(metav1.NewMicroTime(*at))}}
				}
			}
			if tc.problem != "" {
				told.leases["etcd-main-full-snap"].Annotations = map[string]string{"backup.gardener.cloud/problem": tc.problem}
			}
			if got := told.backupReady(etcd, now); got.Status != tc.want || got.Reason != tc.reason || !strings.Contains(got.Message, tc.problem) {
				t.Errorf("condition %+v, want %s, %s", got, tc.want, tc.reason)
			}
		})
	}
}
