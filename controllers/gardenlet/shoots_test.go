package gardenlet

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
	druidv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/druid/v1alpha1"
)

func TestCompactionSettings(t *testing.T) {
	for name, tc := range map[string]struct {
		configured *config.ETCDConfig
		want       *druidv1alpha1.SnapshotCompactionSpec
	}{
		"no configuration":              {},
		"a threshold alone":             {&config.ETCDConfig{BackupCompactionController: &config.BackupCompactionController{EventsThreshold: ptr.To[int64](7)}}, nil},
		"compaction that is turned off": {&config.ETCDConfig{BackupCompactionController: &config.BackupCompactionController{EnableBackupCompaction: ptr.To(false)}}, nil},
		"compaction with a threshold": {
			&config.ETCDConfig{BackupCompactionController: &config.BackupCompactionController{EnableBackupCompaction: ptr.To(true), EventsThreshold: ptr.To[int64](7)}},
			&druidv1alpha1.SnapshotCompactionSpec{EventsThreshold: ptr.To[int64](7)},
		},
	} {
		t.Run("ETC-10 "+name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, backupSettings(tc.configured).Compaction); diff != "" {
				t.Errorf("compaction (-want +got):\n%s", diff)
			}
		})
	}
}
