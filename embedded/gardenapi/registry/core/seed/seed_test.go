package seed

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1/constants"
)

func TestStatus(t *testing.T) {
	type conditions map[core.ConditionType]core.ConditionStatus
	for name, tc := range map[string]struct {
		conditions conditions
		want       string
	}{
		"a new seed is not ready":             {nil, "NotReady"},
		"a lost gardenlet makes it unknown":   {conditions{core.SeedGardenletReady: "Unknown", core.SeedExtensionsReady: "True"}, "Unknown"},
		"a seed without backups can be ready": {conditions{core.SeedGardenletReady: "True", core.SeedExtensionsReady: "True"}, "Ready"},
		"a bad bucket counts":                 {conditions{core.SeedGardenletReady: "True", core.SeedExtensionsReady: "True", core.SeedBackupBucketsReady: "Progressing"}, "NotReady"},
		"extensions must have said something": {conditions{core.SeedGardenletReady: "True"}, "NotReady"},
		"progressing extensions do not count": {conditions{core.SeedGardenletReady: "True", core.SeedExtensionsReady: "Progressing"}, "Ready"},
		"bad components count":                {conditions{core.SeedGardenletReady: "True", core.SeedExtensionsReady: "True", core.SeedSystemComponentsHealthy: "False"}, "NotReady"},
	} {
		t.Run(name, func(t *testing.T) {
			s := &core.Seed{}
			for conditionType, status := range tc.conditions {
				s.Status.Conditions = append(s.Status.Conditions, core.Condition{Type: conditionType, Status: status})
			}
			if got := status(s); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestOperations(t *testing.T) {
	seed := func(operation string) *core.Seed {
		s := &core.Seed{ObjectMeta: metav1.ObjectMeta{}}
		if operation != "" {
			s.Annotations = map[string]string{constants.GardenerOperation: operation}
		}
		return s
	}
	for name, tc := range map[string]struct {
		old, wanted, kept string
		raised, refused   bool
	}{
		"reconcile is done with a generation": {"", "reconcile", "", true, false},
		"a renewal stays":                     {"", "renew-kubeconfig", "renew-kubeconfig", true, false},
		"a renewal is new once":               {"renew-kubeconfig", "renew-kubeconfig", "renew-kubeconfig", false, false},
		"another one has to wait":             {"renew-kubeconfig", "renew-garden-access-secrets", "renew-garden-access-secrets", true, true},
		"the gardenlet takes it away":         {"renew-kubeconfig", "", "", false, false},
	} {
		t.Run(name, func(t *testing.T) {
			old, s := seed(tc.old), seed(tc.wanted)
			raised := strategy().PrepareUpdate(t.Context(), s, old)
			refused := len(validateOperation(s, old)) > 0
			if got := s.Annotations[constants.GardenerOperation]; got != tc.kept || raised != tc.raised || refused != tc.refused {
				t.Errorf("kept %q, raised %t, refused %t", got, raised, refused)
			}
		})
	}
}
