package shootnodelocaldnsenabledbydefault

import (
	"testing"

	"k8s.io/apiserver/pkg/admission"

	helper "github.com/gardener-up/gardener-up/embedded/apihelper/core"
	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
)

func shoot(components *core.SystemComponents, workers ...core.Worker) *core.Shoot {
	return &core.Shoot{Spec: core.ShootSpec{SystemComponents: components, Provider: core.Provider{Workers: workers}}}
}

func TestAdmit(t *testing.T) {
	existing := shoot(nil, core.Worker{})
	for name, tc := range map[string]struct {
		request admission.Attributes
		want    bool
	}{
		"a new shoot that says nothing":       {admissiontest.Create(shoot(nil, core.Worker{})), true},
		"a new shoot that has other settings": {admissiontest.Create(shoot(&core.SystemComponents{CoreDNS: &core.CoreDNS{}}, core.Worker{})), true},
		"a new shoot that does not want it":   {admissiontest.Create(shoot(&core.SystemComponents{NodeLocalDNS: &core.NodeLocalDNS{}}, core.Worker{})), false},
		"an existing shoot":                   {admissiontest.Update(existing, existing.DeepCopy()), false},
		"a shoot without workers":             {admissiontest.Create(shoot(nil)), false},
	} {
		t.Run(name, func(t *testing.T) {
			admissiontest.WantError(t, admissiontest.Admit(admissiontest.New[*Plugin](Register), tc.request), "")
			if got := helper.WantsNodeLocalDNS(tc.request.GetObject().(*core.Shoot)); got != tc.want {
				t.Errorf("enabled: %t, want %t", got, tc.want)
			}
		})
	}
}
