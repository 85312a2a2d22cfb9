package bastion_test

import (
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/gardener-up/gardener-up/controllers/controllermanager/bastion"
	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	operationsv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operations/v1alpha1"
)

func TestJudge(t *testing.T) {
	now := time.Date(2026, 7, 1, 12, 0, 0, 0, time.UTC)
	at := func(d time.Duration) *metav1.Time { stamp := metav1.NewTime(now.Add(d)); return &stamp }
	for name, tc := range map[string]struct {
		age        time.Duration
		expiration *metav1.Time
		shoot      func(*gardencorev1beta1.Shoot)
		noShoot    bool
		goes       bool
		wait       time.Duration
	}{
		"GCM-31 BST-10 one that is kept alive stays until it expires": {age: time.Hour, expiration: at(10 * time.Minute), wait: 10 * time.Minute},
		"GCM-31 BST-10 then it goes":                                  {age: time.Hour, expiration: at(0), goes: true},
		"GCM-31 BST-10 one that is too old goes":                      {age: 24 * time.Hour, expiration: at(time.Hour), goes: true},
		"GCM-31 its age ends it before it expires":                    {age: 23*time.Hour + 30*time.Minute, expiration: at(time.Hour), wait: 30 * time.Minute},
		"GCM-31 it goes with its shoot":                               {age: time.Hour, noShoot: true, goes: true},
		"GCM-31 it goes when its shoot goes":                          {age: time.Hour, shoot: func(s *gardencorev1beta1.Shoot) { s.DeletionTimestamp = at(0) }, goes: true},
		"GCM-31 MIG-28 it goes when its shoot moves":                  {age: time.Hour, shoot: func(s *gardencorev1beta1.Shoot) { s.Spec.SeedName = ptr.To("other") }, goes: true},
	} {
		t.Run(name, func(t *testing.T) {
			b := &operationsv1alpha1.Bastion{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: *at(-tc.age)}}
			b.Spec.SeedName, b.Status.ExpirationTimestamp = ptr.To("seed"), tc.expiration
			shoot := &gardencorev1beta1.Shoot{}
			shoot.Spec.SeedName = ptr.To("seed")
			if tc.shoot != nil {
				tc.shoot(shoot)
			}
			if tc.noShoot {
				shoot = nil
			}
			reason, wait := bastion.Judge(b, shoot, 24*time.Hour, now)
			if (reason != "") != tc.goes || wait != tc.wait {
				t.Errorf("reason %q, wait %s", reason, wait)
			}
		})
	}
}
