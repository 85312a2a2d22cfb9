package rotation

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"k8s.io/utils/ptr"

	gardencorev1beta1 "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
)

var now = time.Unix(1000, 0)

// world is a Shoot with two pools whose credentials are rotated.
type world struct {
	status gardencorev1beta1.ShootStatus
	pools  []string
	now    time.Time
}

func newWorld() *world { return &world{pools: []string{"a", "b"}, now: now} }

func (w *world) at() Rotations {
	out := Rotations{Status: &w.status, SSH: true, Now: w.now}
	for _, pool := range w.pools {
		out.Workers = append(out.Workers, gardencorev1beta1.Worker{Name: pool})
	}
	return out
}

// phases shows the rotations with phases: those of the authorities, of the service account key and of the encryption key.
func (w *world) phases() string {
	rotations := known(&w.status)
	pools := func(pending []gardencorev1beta1.PendingWorkersRollout) string {
		var names []string
		for _, pool := range pending {
			names = append(names, pool.Name)
		}
		return strings.Join(names, ",")
	}
	var out []string
	if x := rotations.CertificateAuthorities; x != nil {
		out = append(out, fmt.Sprintf("ca=%s[%s]", x.Phase, pools(x.PendingWorkersRollouts)))
	}
	if x := rotations.ServiceAccountKey; x != nil {
		out = append(out, fmt.Sprintf("sa=%s[%s]", x.Phase, pools(x.PendingWorkersRollouts)))
	}
	if x := rotations.ETCDEncryptionKey; x != nil {
		out = append(out, fmt.Sprintf("etcd=%s", x.Phase))
	}
	return strings.Join(out, " ")
}

// What a run can have done with the encryption key.
var (
	nothing   = EncryptionKey{}
	rewritten = EncryptionKey{Rewritten: true}
	single    = EncryptionKey{Rewritten: true, Single: true}
)

func TestPhases(t *testing.T) {
	type step struct {
		operation string         // asked for before the run
		key       *EncryptionKey // how the run ends; nil for a run that fails
		want      string
	}
	for name, steps := range map[string][]step{
		"CAR-4 authorities: two operations, two runs": {
			{"rotate-ca-start", nil, "ca=Preparing[]"},
			{"", &nothing, "ca=Prepared[]"},
			{"rotate-ca-complete", nil, "ca=Completing[]"},
			{"", &nothing, "ca=Completed[]"},
			{"rotate-ca-start", nil, "ca=Preparing[]"},
		},
		"CAR-3 nothing is completed that is not prepared": {
			{"rotate-ca-complete", &nothing, ""},
			{"rotate-ca-start", nil, "ca=Preparing[]"},
			{"rotate-ca-complete", nil, "ca=Preparing[]"},
		},
		"CAR-3 nothing is started twice": {
			{"rotate-ca-start", &nothing, "ca=Prepared[]"},
			{"rotate-ca-start", nil, "ca=Prepared[]"},
			{"rotate-ca-complete", nil, "ca=Completing[]"},
			{"rotate-ca-start", nil, "ca=Completing[]"},
		},
		"CAR-5 runs in between change nothing": {
			{"rotate-credentials-start", &rewritten, "ca=Prepared[] sa=Prepared[] etcd=Prepared"},
			{"", &rewritten, "ca=Prepared[] sa=Prepared[] etcd=Prepared"},
			{"reconcile", &rewritten, "ca=Prepared[] sa=Prepared[] etcd=Prepared"},
		},
		"CAR-14 all at once": {
			{"rotate-credentials-start", nil, "ca=Preparing[] sa=Preparing[] etcd=Preparing"},
			{"", &rewritten, "ca=Prepared[] sa=Prepared[] etcd=Prepared"},
			{"rotate-credentials-complete", nil, "ca=Completing[] sa=Completing[] etcd=Completing"},
			{"", &single, "ca=Completed[] sa=Completed[] etcd=Completed"},
		},
		"CAR-14 the encryption key is not prepared before every object is rewritten": {
			{"rotate-etcd-encryption-key-start", &nothing, "etcd=Preparing"},
			{"rotate-etcd-encryption-key-complete", &nothing, "etcd=Preparing"},
			{"", &rewritten, "etcd=Prepared"},
		},
		"CAR-14 it is not completed as long as the old key is there": {
			{"rotate-etcd-encryption-key-start", &rewritten, "etcd=Prepared"},
			{"rotate-etcd-encryption-key-complete", &rewritten, "etcd=Completing"},
			{"", &single, "etcd=Completed"},
		},
		"CAR-14 one operation rotates the encryption key alone": {
			{"rotate-etcd-encryption-key", nil, "etcd=Preparing"},
			{"", &rewritten, "etcd=Completing"},
			{"", &single, "etcd=Completed"},
		},
		"CAR-9 without a roll-out every pool waits for its user": {
			{"rotate-credentials-start-without-workers-rollout", nil, "ca=PreparingWithoutWorkersRollout[a,b] sa=PreparingWithoutWorkersRollout[a,b] etcd=Preparing"},
			{"", &rewritten, "ca=WaitingForWorkersRollout[a,b] sa=WaitingForWorkersRollout[a,b] etcd=Prepared"},
			{"rotate-rollout-workers=a", &rewritten, "ca=WaitingForWorkersRollout[b] sa=WaitingForWorkersRollout[b] etcd=Prepared"},
			{"rotate-rollout-workers=b", nil, "ca=WaitingForWorkersRollout[] sa=WaitingForWorkersRollout[] etcd=Prepared"},
			{"", &rewritten, "ca=Prepared[] sa=Prepared[] etcd=Prepared"},
		},
		"CAR-9 pools do not roll out before the control plane is prepared": {
			{"rotate-ca-start-without-workers-rollout", nil, "ca=PreparingWithoutWorkersRollout[a,b]"},
			{"rotate-rollout-workers=a,b", nil, "ca=PreparingWithoutWorkersRollout[a,b]"},
		},
		"any other operation starts none": {{"reconcile", &nothing, ""}, {"rotate-ssh-keypair", &nothing, ""}},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld()
			for i, step := range steps {
				w.now = w.now.Add(time.Minute)
				if step.operation != "" {
					w.at().Start(step.operation)
				}
				if step.key != nil {
					w.at().Finish(*step.key)
				}
				if got := w.phases(); got != step.want {
					t.Fatalf("after step %d (%s): %q, want %q", i, step.operation, got, step.want)
				}
			}
		})
	}
	t.Run("CAR-9 a pool that is removed is not waited for", func(t *testing.T) {
		w := newWorld()
		w.at().Start("rotate-ca-start-without-workers-rollout")
		w.at().Finish(nothing)
		w.pools = []string{"b"}
		w.at().Finish(nothing)
		if got := w.phases(); got != "ca=WaitingForWorkersRollout[b]" {
			t.Errorf("phases are %q", got)
		}
	})
}

func TestTimes(t *testing.T) {
	w := newWorld()
	w.at().Start("rotate-credentials-start")
	w.now = w.now.Add(time.Minute)
	w.at().Finish(rewritten)
	rotations := w.status.Credentials.Rotation
	t.Run("CAR-14 rotations without phases are done after one run", func(t *testing.T) {
		for name, completed := range map[string]bool{
			"kubeconfig":    rotations.Kubeconfig.LastCompletionTime.Time.Equal(w.now),
			"sshKeypair":    rotations.SSHKeypair.LastCompletionTime.Time.Equal(w.now),
			"observability": rotations.Observability.LastCompletionTime.Time.Equal(w.now),
		} {
			if !completed {
				t.Errorf("%s is not completed", name)
			}
		}
	})
	t.Run("CAR-4 the status says when", func(t *testing.T) {
		ca := rotations.CertificateAuthorities
		if !ca.LastInitiationTime.Time.Equal(now) || !ca.LastInitiationFinishedTime.Time.Equal(w.now) || ca.LastCompletionTriggeredTime != nil || ca.LastCompletionTime != nil {
			t.Errorf("times are %+v", ca)
		}
	})
	t.Run("CAR-4 a later rotation keeps the time of the last completion", func(t *testing.T) {
		w.at().Start("rotate-credentials-complete")
		w.at().Finish(single)
		completed := w.now
		w.now = w.now.Add(time.Hour)
		w.at().Start("rotate-credentials-start")
		for name, at := range map[string]time.Time{
			"ca":   w.status.Credentials.Rotation.CertificateAuthorities.LastCompletionTime.Time,
			"sa":   w.status.Credentials.Rotation.ServiceAccountKey.LastCompletionTime.Time,
			"etcd": w.status.Credentials.Rotation.ETCDEncryptionKey.LastCompletionTime.Time,
		} {
			if !at.Equal(completed) {
				t.Errorf("%s was completed at %s, want %s", name, at, completed)
			}
		}
	})
	t.Run("nodes without SSH have no key to rotate", func(t *testing.T) {
		w := newWorld()
		rotations := w.at()
		rotations.SSH = false
		rotations.Start("rotate-credentials-start")
		if w.status.Credentials.Rotation.SSHKeypair != nil {
			t.Error("a rotation is recorded")
		}
	})
}

func TestRolloutByHand(t *testing.T) {
	w := newWorld()
	w.at().Start("rollout-workers=a")
	w.now = w.now.Add(time.Minute)
	w.at().Start("rollout-workers=*")
	var got []string
	for _, pool := range w.status.ManualWorkerPoolRollout.PendingWorkersRollouts {
		got = append(got, fmt.Sprint(pool.Name, pool.LastInitiationTime.Time.Sub(now)))
	}
	if want := []string{"a1m0s", "b1m0s"}; !slices.Equal(got, want) {
		t.Errorf("roll-outs are %v, want %v", got, want)
	}
}

func TestUnfinished(t *testing.T) {
	for phase, want := range map[gardencorev1beta1.CredentialsRotationPhase]bool{
		"": false, "Preparing": true, "PreparingWithoutWorkersRollout": true, "WaitingForWorkersRollout": false, "Prepared": false, "Completing": true, "Completed": false,
	} {
		status := &gardencorev1beta1.ShootStatus{Credentials: &gardencorev1beta1.ShootCredentials{Rotation: &gardencorev1beta1.ShootCredentialsRotation{
			ETCDEncryptionKey: &gardencorev1beta1.ETCDEncryptionKeyRotation{Phase: phase, AutoCompleteAfterPrepared: ptr.To(false)},
		}}}
		if got := Unfinished(status); got != want {
			t.Errorf("CAR-14 a rotation in phase %q goes on by itself: %t, want %t", phase, got, want)
		}
	}
}
