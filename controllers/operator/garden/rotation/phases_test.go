package rotation

import (
	"context"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/controllers/operator/host"
	operatorv1alpha1 "github.com/gardener-up/gardener-up/embedded/apis/operator/v1alpha1"
)

// keys are all credentials of a host. They do nothing.
type keys struct{ outdated []host.Stored }

func (keys) Renew(time.Time) error                  { return nil }
func (keys) Backup(context.Context) error           { return nil }
func (k keys) DropFormer(ctx context.Context) error { return nil }
func (k *keys) Outdated(_ context.Context, visit func(host.Stored) error) error {
	for _, one := range k.outdated {
		if err := visit(one); err != nil {
			return err
		}
	}
	return nil
}

type accountKey struct{ keys }

func (accountKey) DropFormer() error { return nil }

type authorities struct{}

func (authorities) Renew(context.Context, time.Time) error      { return nil }
func (authorities) DropFormer(context.Context, time.Time) error { return nil }

func all() host.Credentials {
	return host.Credentials{Authorities: authorities{}, ServiceAccountKey: accountKey{}, EncryptionKey: &keys{}, Observability: true}
}

// phases are those of the authorities, of the service accounts' key and of the encryption key.
func phases(status *operatorv1alpha1.GardenStatus) (all [3]string) {
	if of := ofShoot(status).Credentials.Rotation; of != nil {
		if of.CertificateAuthorities != nil {
			all[0] = string(of.CertificateAuthorities.Phase)
		}
		if of.ServiceAccountKey != nil {
			all[1] = string(of.ServiceAccountKey.Phase)
		}
		if of.ETCDEncryptionKey != nil {
			all[2] = string(of.ETCDEncryptionKey.Phase)
		}
	}
	return all
}

func TestPhases(t *testing.T) {
	now := time.Unix(1e9, 0)
	for name, tc := range map[string]struct {
		can   host.Credentials
		steps []string // operations, or "done"
		want  [][3]string
	}{
		"OPR-29 a rotation of all goes through all phases, and starts again": {all(),
			[]string{"rotate-credentials-start", "done", "rotate-credentials-complete", "done", "rotate-credentials-start"},
			[][3]string{{"Preparing", "Preparing", "Preparing"}, {"Prepared", "Prepared", "Prepared"}, {"Completing", "Completing", "Completing"}, {"Completed", "Completed", "Completed"}, {"Preparing", "Preparing", "Preparing"}}},
		"OPR-29 one rotates alone": {all(), []string{"rotate-serviceaccount-key-start", "done", "rotate-serviceaccount-key-complete", "done"},
			[][3]string{{"", "Preparing", ""}, {"", "Prepared", ""}, {"", "Completing", ""}, {"", "Completed", ""}}},
		"OPR-29 the authorities rotate alone": {all(), []string{"rotate-ca-start", "done", "rotate-ca-start", "rotate-ca-complete", "done", "done"},
			[][3]string{{"Preparing", "", ""}, {"Prepared", "", ""}, {"Prepared", "", ""}, {"Completing", "", ""}, {"Completed", "", ""}, {"Completed", "", ""}}},
		"OPR-29 the encryption key may complete itself": {all(), []string{"rotate-etcd-encryption-key", "done", "done"},
			[][3]string{{"", "", "Preparing"}, {"", "", "Completing"}, {"", "", "Completed"}}},
		"OPR-29 an operation at the wrong time changes nothing": {all(), []string{"rotate-credentials-complete", "rotate-credentials-start", "rotate-credentials-complete", "done", "rotate-credentials-start"},
			[][3]string{{"", "", ""}, {"Preparing", "Preparing", "Preparing"}, {"Preparing", "Preparing", "Preparing"}, {"Prepared", "Prepared", "Prepared"}, {"Prepared", "Prepared", "Prepared"}}},
		"OPR-29 what the host does not rotate has no phase": {host.Credentials{EncryptionKey: &keys{}}, []string{"rotate-credentials-start", "done"},
			[][3]string{{"", "", "Preparing"}, {"", "", "Prepared"}}},
	} {
		t.Run(name, func(t *testing.T) {
			status := &operatorv1alpha1.GardenStatus{}
			var got [][3]string
			for _, step := range tc.steps {
				if step == "done" {
					Finish(status, now)
				} else {
					Start(status, step, tc.can, now)
				}
				got = append(got, phases(status))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("phases (-want +got):\n%s", diff)
			}
			if status.Credentials != nil && status.Credentials.Rotation.Observability != nil && !tc.can.Observability {
				t.Errorf("phases of what is not rotated: %+v", status.Credentials.Rotation)
			}
		})
	}
	t.Run("OPR-29 the password of observability rotates in one phase", func(t *testing.T) {
		status := &operatorv1alpha1.GardenStatus{}
		Start(status, "rotate-observability-credentials", all(), now)
		if plan := PlanOf(status, all()); !plan.Password.Equal(now) || phases(status) != [3]string{} {
			t.Errorf("plan %+v, phases %v", plan, phases(status))
		}
		Finish(status, now)
		if of := status.Credentials.Rotation.Observability; of.LastCompletionTime == nil || Unfinished(status) {
			t.Errorf("after the end: %+v", of)
		}
	})
	t.Run("OPR-29 a crash after the start was noted is no mistake", func(t *testing.T) {
		status := &operatorv1alpha1.GardenStatus{}
		if !Changes(status, "rotate-credentials-start", all()) || Changes(status, "rotate-credentials-complete", all()) || Changes(status, "reconcile", all()) {
			t.Error("it is told wrongly what changes at the beginning")
		}
		Start(status, "rotate-credentials-start", all(), now)
		if !Changes(status, "rotate-credentials-start", all()) {
			t.Error("the same operation once more is a mistake")
		}
	})
	t.Run("OPR-29 the plan has only what the host rotates", func(t *testing.T) {
		status := &operatorv1alpha1.GardenStatus{}
		Start(status, "rotate-credentials-start", all(), now)
		want := Phase{Preparing: true, Began: now}
		if got := PlanOf(status, all()); !got.ServiceAccountKey.Began.Equal(now) || !got.ServiceAccountKey.Preparing || !got.EncryptionKey.Preparing || !got.Authorities.Preparing {
			t.Errorf("plan %+v, want %+v for all", got, want)
		}
		if got := PlanOf(status, host.Credentials{}); got != (Plan{}) {
			t.Errorf("plan of a host without keys: %+v", got)
		}
	})
}

func TestRepeated(t *testing.T) {
	t.Run("OPR-29 two rotations of the password in one second are two", func(t *testing.T) {
		status, now := &operatorv1alpha1.GardenStatus{}, time.Unix(1e9, 5e8)
		Start(status, "rotate-observability-credentials", all(), now)
		first := PlanOf(status, all()).Password.Truncate(time.Second)
		status.Credentials.Rotation.Observability.LastInitiationTime.Time = first // as it is stored
		Start(status, "rotate-ca-start", all(), now)
		if other := PlanOf(status, all()).Password; !other.Equal(first) {
			t.Errorf("the rotation of something else has changed %v to %v", first, other)
		}
		Start(status, "rotate-observability-credentials", all(), now)
		if second := PlanOf(status, all()).Password; second.Unix() <= first.Unix() {
			t.Errorf("the second rotation began at %v, the first one at %v", second, first)
		}
		Finish(status, now)
		if of := status.Credentials.Rotation.Observability; of.LastCompletionTime.Before(of.LastInitiationTime) {
			t.Errorf("the second rotation, of %v, ended at %v", of.LastInitiationTime, of.LastCompletionTime)
		}
	})
}
