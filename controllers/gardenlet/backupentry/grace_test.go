package backupentry_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/backupentry"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestGrace(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		grace       backupentry.Grace
		annotations map[string]string
		want        time.Duration
	}{
		"GLT-19 no grace by default":                       {want: -time.Hour},
		"GLT-19 kept for the rest of the period":           {grace: backupentry.Grace{Period: 48 * time.Hour}, want: 47 * time.Hour},
		"GLT-19 an operator may cut it short":              {grace: backupentry.Grace{Period: 48 * time.Hour}, annotations: map[string]string{"backupentry.core.gardener.cloud/force-deletion": "true"}},
		"GLT-20 kept for a purpose that is listed":         {grace: backupentry.Grace{Period: 48 * time.Hour, Purposes: []gardencorev1beta1.ShootPurpose{"production"}}, annotations: map[string]string{"shoot.gardener.cloud/purpose": "production"}, want: 47 * time.Hour},
		"GLT-20 not kept for a purpose that is not listed": {grace: backupentry.Grace{Period: 48 * time.Hour, Purposes: []gardencorev1beta1.ShootPurpose{"production"}}, annotations: map[string]string{"shoot.gardener.cloud/purpose": "evaluation"}},
	} {
		t.Run(name, func(t *testing.T) {
			entry := &gardencorev1beta1.BackupEntry{ObjectMeta: metav1.ObjectMeta{
				Annotations: tc.annotations, DeletionTimestamp: &metav1.Time{Time: now.Add(-time.Hour)},
			}}
			if got := tc.grace.Left(entry, now); got != tc.want {
				t.Errorf("left = %s, want %s", got, tc.want)
			}
		})
	}
}
