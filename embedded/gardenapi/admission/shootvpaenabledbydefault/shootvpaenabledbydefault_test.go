package shootvpaenabledbydefault

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apiserver/pkg/admission"

	core "github.com/gardener-up/gardener-up/embedded/apis/core/v1beta1"
	"github.com/gardener-up/gardener-up/embedded/gardenapi/admission/admissiontest"
)

func shoot(vpa *core.VerticalPodAutoscaler, workers ...core.Worker) *core.Shoot {
	s := &core.Shoot{}
	s.Spec.Kubernetes.VerticalPodAutoscaler, s.Spec.Provider.Workers = vpa, workers
	return s
}

func TestAdmit(t *testing.T) {
	enabled := func(o runtime.Object) bool {
		vpa := o.(*core.Shoot).Spec.Kubernetes.VerticalPodAutoscaler
		return vpa != nil && vpa.Enabled
	}
	silent, refusing, workerless := shoot(nil, core.Worker{}), shoot(&core.VerticalPodAutoscaler{}, core.Worker{}), shoot(nil)
	existing := shoot(nil, core.Worker{})
	for name, tc := range map[string]struct {
		request admission.Attributes
		want    bool
	}{
		"ADM-21 a new shoot that says nothing":     {admissiontest.Create(silent), true},
		"ADM-21 a new shoot that does not want it": {admissiontest.Create(refusing), false},
		"ADM-21 an existing shoot":                 {admissiontest.Update(existing, existing.DeepCopy()), false},
		"a shoot without workers":                  {admissiontest.Create(workerless), false},
	} {
		t.Run(name, func(t *testing.T) {
			admissiontest.WantError(t, admissiontest.Admit(admissiontest.New[*Plugin](Register), tc.request), "")
			if got := enabled(tc.request.GetObject()); got != tc.want {
				t.Errorf("enabled: %t, want %t", got, tc.want)
			}
		})
	}
	t.Run("its other settings are defaulted", func(t *testing.T) {
		if silent.Spec.Kubernetes.VerticalPodAutoscaler.UpdaterInterval == nil {
			t.Error("no interval")
		}
	})
}
