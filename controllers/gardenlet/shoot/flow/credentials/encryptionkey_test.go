package credentials

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/gardener-up/gardener-up/controllers/gardenlet/shoot/flow/seed"
	"github.com/gardener-up/gardener-up/controllers/internal/secretsmanager"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestOldEncryptionKeyIsKept(t *testing.T) {
	config := secretsmanager.EncryptionKey{Name: "kube-apiserver-etcd-encryption-key", Bytes: 32}
	for name, tc := range map[string]struct {
		phase           gardencorev1beta1.CredentialsRotationPhase
		marked, deleted bool
		kept            bool
	}{
		"CAR-14 while the rotation is being prepared":                       {phase: "Preparing", kept: true},
		"CAR-14 as long as it is prepared":                                  {phase: "Prepared", marked: true, kept: true},
		"CAR-14 not after it, if all objects have been rewritten":           {phase: "Completing", marked: true},
		"CAR-14 after it, too, if not all objects have been rewritten":      {phase: "Completing", kept: true},
		"CAR-14 a deletion drops no key, since it does not release objects": {phase: "Completing", marked: true, deleted: true, kept: true},
	} {
		t.Run(name, func(t *testing.T) {
			cluster := fake.NewClientBuilder().Build()
			c := Credentials{Shoot: &gardencorev1beta1.Shoot{}, Space: seed.Space{Name: namespace, Client: cluster}, Clock: clocktesting.NewFakePassiveClock(time.Unix(5000, 0))}
			if tc.deleted {
				c.Shoot.DeletionTimestamp = &metav1.Time{Time: time.Unix(1, 0)}
			}
			madeOf(t, cluster, nil, config)
			rotated := map[string]time.Time{config.Name: time.Unix(4000, 0)}
			current := madeOf(t, cluster, rotated, config).Current(config.Name)
			if tc.marked {
				current.Annotations = map[string]string{"credentials.gardener.cloud/objects-rewritten": "true"}
				if err := cluster.Update(t.Context(), current); err != nil {
					t.Fatal(err)
				}
			}
			manager := madeOf(t, cluster, rotated).Manager
			if _, err := manager.Generate(t.Context(), config, c.encryptionKeyOptions(tc.phase)...); err != nil {
				t.Fatal(err)
			}
			if kept := manager.Old(config.Name) != nil; kept != tc.kept {
				t.Errorf("the old key is kept: %t", kept)
			}
		})
	}
}
