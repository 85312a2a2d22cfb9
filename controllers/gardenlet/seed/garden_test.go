package seed_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/seed"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestBackupBucketIsWhereTheBackupSays(t *testing.T) {
	for name, tc := range map[string]struct {
		backup       gardencorev1beta1.Backup
		kind, region string
	}{
		"BKP-3 a backup without a region is in that of the seed":    {gardencorev1beta1.Backup{Provider: "local"}, "local", "here"},
		"BKP-3 so is one with an empty region":                      {gardencorev1beta1.Backup{Provider: "local", Region: ptr.To("")}, "local", "here"},
		"BKP-3 a region is used as it is":                           {gardencorev1beta1.Backup{Provider: "local", Region: ptr.To("there")}, "local", "there"},
		"BKP-3 a backup of another provider is where it says to be": {gardencorev1beta1.Backup{Provider: "other", Region: ptr.To("there")}, "other", "there"},
	} {
		t.Run(name, func(t *testing.T) {
			bucket := seed.BackupBucket(&gardencorev1beta1.Seed{
				ObjectMeta: metav1.ObjectMeta{Name: "earth", UID: "4711"},
				Spec:       gardencorev1beta1.SeedSpec{Provider: gardencorev1beta1.SeedProvider{Type: "local", Region: "here"}, Backup: &tc.backup},
			})
			if got := bucket.Spec.Provider; got.Type != tc.kind || got.Region != tc.region {
				t.Errorf("the bucket is of %+v, want %s in %s", got, tc.kind, tc.region)
			}
		})
	}
}
