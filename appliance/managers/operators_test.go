package managers

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/druid/compaction"
	"github.com/gardener-up/gardener-up/controllers/gardenlet/config"
)

func TestCompactionSettings(t *testing.T) {
	own := func(c config.BackupCompactionController) *config.ETCDConfig {
		return &config.ETCDConfig{BackupCompactionController: &c}
	}
	for name, tc := range map[string]struct {
		configured *config.ETCDConfig
		want       compaction.Settings
	}{
		"no configuration has etcd-druid's defaults": {nil, compaction.Settings{Workers: 3, Deadline: 3 * time.Hour}},
		"other settings change nothing":              {own(config.BackupCompactionController{EventsThreshold: ptr.To[int64](7)}), compaction.Settings{Workers: 3, Deadline: 3 * time.Hour}},
		"workers and deadline are the druid's": {
			own(config.BackupCompactionController{Workers: ptr.To[int64](7), ActiveDeadlineDuration: &metav1.Duration{Duration: time.Minute}}),
			compaction.Settings{Workers: 7, Deadline: time.Minute},
		},
	} {
		t.Run("ETC-10 "+name, func(t *testing.T) {
			if got := compactionSettings(tc.configured).WithDefaults(); got != tc.want {
				t.Errorf("got %+v, want %+v", got, tc.want)
			}
		})
	}
}

func TestProtects(t *testing.T) {
	for name, tc := range map[string]struct {
		configured *config.ETCDConfig
		want       bool
	}{
		"the objects of Etcds are free by default":           {nil, false},
		"the objects of Etcds are free with other settings":  {&config.ETCDConfig{}, false},
		"the objects of Etcds are protected by the settings": {&config.ETCDConfig{EtcdComponentProtection: ptr.To(true)}, true},
	} {
		t.Run("ETC-2 "+name, func(t *testing.T) {
			if got := protects(tc.configured); got != tc.want {
				t.Errorf("got %t, want %t", got, tc.want)
			}
		})
	}
}
