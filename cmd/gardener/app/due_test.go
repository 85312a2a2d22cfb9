package app

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

func TestDueShoot(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	at := func(days int) *metav1.Time { return ptr.To(metav1.NewTime(now.AddDate(0, 0, days))) }
	profile := func(end *metav1.Time) *gardencorev1beta1.CloudProfile {
		p := &gardencorev1beta1.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: "local"}}
		p.Spec.Kubernetes.Versions = []gardencorev1beta1.ExpirableVersion{{Version: "1.35.0", ExpirationDate: end}}
		return p
	}
	rotates := func(phase gardencorev1beta1.CredentialsRotationPhase) func(*gardencorev1beta1.Shoot) {
		return func(s *gardencorev1beta1.Shoot) {
			s.Status.Credentials = &gardencorev1beta1.ShootCredentials{Rotation: &gardencorev1beta1.ShootCredentialsRotation{
				CertificateAuthorities: &gardencorev1beta1.CARotation{Phase: phase},
			}}
		}
	}
	constraint := func(status gardencorev1beta1.ConditionStatus) func(*gardencorev1beta1.Shoot) {
		return func(s *gardencorev1beta1.Shoot) {
			s.Status.Constraints = []gardencorev1beta1.Condition{{Type: "CACertificateValiditiesAcceptable", Status: status, Message: "one ends soon"}}
		}
	}
	for name, tc := range map[string]struct {
		shoot   func(*gardencorev1beta1.Shoot)
		profile *gardencorev1beta1.CloudProfile
		want    []string // beginnings
	}{
		"nothing":                       {profile: profile(nil)},
		"a rotation that was begun":     {shoot: rotates(gardencorev1beta1.RotationPrepared), want: []string{"the rotation of the certificate authorities waits for its end: gardener shoot rotate p/sun --of ca --complete"}},
		"a rotation without new nodes":  {shoot: rotates(gardencorev1beta1.RotationWaitingForWorkersRollout), want: []string{"the rotation of the certificate authorities waits for new nodes"}},
		"a rotation that works":         {shoot: rotates(gardencorev1beta1.RotationCompleting)},
		"a version that ends in a year": {profile: profile(at(365))},
		"a version that ends in a week": {profile: profile(at(7)), want: []string{"the support of Kubernetes 1.35.0 ends at"}},
		"a version that has ended":      {profile: profile(at(-7)), want: []string{"the support of Kubernetes 1.35.0 ended at"}},
		"a version that is gone":        {profile: &gardencorev1beta1.CloudProfile{ObjectMeta: metav1.ObjectMeta{Name: "local"}}, want: []string{`Kubernetes 1.35.0 is no longer in CloudProfile "local"`}},
		"a certificate that ends soon":  {shoot: constraint(gardencorev1beta1.ConditionFalse), want: []string{"CACertificateValiditiesAcceptable is False: one ends soon"}},
		"a constraint that is true":     {shoot: constraint(gardencorev1beta1.ConditionTrue)},
		"a deprecated field":            {shoot: func(s *gardencorev1beta1.Shoot) { s.Spec.SecretBindingName = ptr.To("old") }, want: []string{"spec.secretBindingName is outdated"}},
	} {
		t.Run("APP-35 status shows "+name, func(t *testing.T) {
			shoot := &gardencorev1beta1.Shoot{ObjectMeta: metav1.ObjectMeta{Namespace: "p", Name: "sun"}}
			shoot.Spec.Kubernetes.Version = "1.35.0"
			if tc.shoot != nil {
				tc.shoot(shoot)
			}
			got := dueShoot(shoot, tc.profile, now)
			for i, want := range tc.want {
				if i < len(got) && strings.HasPrefix(got[i], want) {
					got[i] = want
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("due (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDueSeeds(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	seed := func(name string, left time.Duration) gardencorev1beta1.Seed {
		s := gardencorev1beta1.Seed{ObjectMeta: metav1.ObjectMeta{Name: name}}
		s.Status.ClientCertificateExpirationTimestamp = ptr.To(metav1.NewTime(now.Add(left)))
		return s
	}
	got := dueSeeds([]gardencorev1beta1.Seed{{}, seed("fresh", 200*time.Hour), seed("old", time.Hour)}, now)
	if len(got) != 1 || got[0].Object != "seed old" || !strings.HasPrefix(got[0].What, "the certificate of its gardenlet ends at") {
		t.Errorf("APP-35 due are %+v", got)
	}
}
