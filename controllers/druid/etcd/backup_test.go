package etcd

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

func TestBackupFlags(t *testing.T) {
	for name, tc := range map[string]struct {
		backup druidv1alpha1.BackupSpec
		want   []string
	}{
		"ETC-5 what is not specified has the defaults of the component": {},
		"ETC-13 the backup server serves profiles":                      {druidv1alpha1.BackupSpec{EnableProfiling: ptr.To(true)}, []string{"--profiling"}},
		"ETC-13 it serves none":                                         {druidv1alpha1.BackupSpec{EnableProfiling: ptr.To(false)}, nil},
		"ETC-5 the member looks at who leads": {
			druidv1alpha1.BackupSpec{LeaderElection: &druidv1alpha1.LeaderElectionSpec{
				ReelectionPeriod: &metav1.Duration{Duration: 5 * time.Second}, EtcdConnectionTimeout: &metav1.Duration{Duration: 3 * time.Second},
			}},
			[]string{"--leader-check-period=5s", "--leader-check-timeout=3s"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, backupTuningArgs(&druidv1alpha1.EtcdSpec{Backup: tc.backup})); diff != "" {
				t.Errorf("flags (-want +got):\n%s", diff)
			}
		})
	}
}
