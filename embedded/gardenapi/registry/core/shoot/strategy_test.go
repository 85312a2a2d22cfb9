package shoot

import (
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

func TestTakeOperation(t *testing.T) {
	for name, tc := range map[string]struct {
		old, wanted string
		state       core.LastOperationState
		workers     int
		kept        string
		raised      bool
	}{
		"API-38 reconcile becomes a generation":         {wanted: "reconcile", raised: true},
		"retry of a failed operation does, too":         {wanted: "retry", state: core.LastOperationStateFailed, raised: true},
		"retry of a running operation is forgotten":     {wanted: "retry", state: core.LastOperationStateProcessing},
		"maintain stays for the maintenance":            {wanted: "maintain", kept: "maintain"},
		"API-38 a rotation stays for the gardenlet":     {wanted: "rotate-ca-start", kept: "rotate-ca-start", raised: true},
		"a rotation that is there already is not new":   {old: "rotate-ca-start", wanted: "rotate-ca-start", kept: "rotate-ca-start"},
		"two rotations stay together":                   {wanted: "rotate-ca-start;rotate-etcd-encryption-key", kept: "rotate-ca-start;rotate-etcd-encryption-key", raised: true},
		"an SSH key pair is rotated where there is one": {wanted: "rotate-ssh-keypair", workers: 1, kept: "rotate-ssh-keypair", raised: true},
		"without SSH there is none":                     {wanted: "rotate-ssh-keypair"},
		"without SSH the other rotation stays":          {wanted: "rotate-ssh-keypair;rotate-ca-start", kept: "rotate-ca-start", raised: true},
	} {
		t.Run(name, func(t *testing.T) {
			shoot := func(operation string) *core.Shoot {
				s := &core.Shoot{}
				if operation != "" {
					s.Annotations = map[string]string{constants.GardenerOperation: operation}
				}
				if tc.state != "" {
					s.Status.LastOperation = &core.LastOperation{State: tc.state}
				}
				s.Spec.Provider.Workers = make([]core.Worker, tc.workers)
				return s
			}
			s := shoot(tc.wanted)
			raised := takeOperation(s, shoot(tc.old))
			if got := s.Annotations[constants.GardenerOperation]; got != tc.kept || raised != tc.raised {
				t.Errorf("kept %q, raised %t", got, raised)
			}
		})
	}
}

func TestConfinedRollout(t *testing.T) {
	confined := func(sleeping bool) *core.Shoot {
		s := &core.Shoot{}
		s.Spec.Maintenance = &core.Maintenance{ConfineSpecUpdateRollout: ptr.To(true)}
		s.Spec.Hibernation = &core.Hibernation{Enabled: &sleeping}
		return s
	}
	if !isConfined(confined(false), confined(false)) {
		t.Error("a change of the spec does not wait for the maintenance")
	}
	if isConfined(confined(true), confined(false)) {
		t.Error("hibernation waits for the maintenance")
	}
	if isConfined(&core.Shoot{}, &core.Shoot{}) {
		t.Error("an ordinary shoot waits for the maintenance")
	}
}

func TestStatusKeepsIdentity(t *testing.T) {
	migrated := &core.LastOperation{Type: core.LastOperationTypeMigrate, State: core.LastOperationStateSucceeded}
	old := &core.Shoot{Status: core.ShootStatus{UID: "u", TechnicalID: "t", ClusterIdentity: ptr.To("c")}}
	s := &core.Shoot{Status: core.ShootStatus{UID: "x", TechnicalID: "y", ClusterIdentity: ptr.To("z"), LastOperation: migrated}}
	if !prepareStatus(t.Context(), s, old) {
		t.Error("the end of a migration does not raise the generation")
	}
	if s.Status.UID != "u" || s.Status.TechnicalID != "t" || *s.Status.ClusterIdentity != "c" {
		t.Errorf("status is %+v", s.Status)
	}
	if prepareStatus(t.Context(), s, s.DeepCopy()) {
		t.Error("a migration ends twice")
	}
}

func TestWarnings(t *testing.T) {
	r := Rules{RotationInterval: 24 * time.Hour}
	old := &core.Shoot{ObjectMeta: metav1.ObjectMeta{CreationTimestamp: metav1.NewTime(time.Now().Add(-48 * time.Hour))}}
	if got := r.warnings(t.Context(), old, old); len(got) != 3 || !strings.Contains(got[0], "rotate-ca-start") {
		t.Errorf("got %v", got)
	}
	old.Status.Credentials = &core.ShootCredentials{Rotation: &core.ShootCredentialsRotation{CertificateAuthorities: &core.CARotation{LastCompletionTime: ptr.To(metav1.Now())}}}
	if got := r.warnings(t.Context(), old, old); len(got) != 2 {
		t.Errorf("after a rotation: %v", got)
	}
}

func TestIneffectiveFields(t *testing.T) {
	r := Rules{}
	s := &core.Shoot{Spec: core.ShootSpec{Monitoring: &core.Monitoring{}, Kubernetes: core.Kubernetes{ETCD: &core.ETCD{}}}}
	if got := r.warnings(t.Context(), s, nil); len(got) != 2 || !strings.HasPrefix(got[0], "spec.kubernetes.etcd ") {
		t.Errorf("a new shoot: %v", got)
	}
	if got := r.warnings(t.Context(), s, s.DeepCopy()); len(got) != 0 {
		t.Errorf("a change of something else: %v", got)
	}
	if got := r.warnings(t.Context(), &core.Shoot{}, nil); len(got) != 0 {
		t.Errorf("an ordinary shoot: %v", got)
	}
}
