package managers

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

func TestDefaultQuotas(t *testing.T) {
	for name, tc := range map[string]struct {
		configuration string
		quotas        int
		shoots        int64
	}{
		"a landscape without configuration limits projects": {`{}`, 1, 500},
		"other settings keep the limits":                    {`{"controllers":{"project":{"minimumLifetimeDays":1}}}`, 1, 500},
		"an empty list sets no limits":                      {`{"controllers":{"project":{"quotas":[]}}}`, 0, 0},
		"own limits replace all of them":                    {`{"controllers":{"project":{"quotas":[{"config":{"spec":{"hard":{"count/shoots.core.gardener.cloud":"5"}}}}]}}}`, 1, 5},
	} {
		t.Run("GCM-5 "+name, func(t *testing.T) {
			r := &roles{Inputs: Inputs{ControllerManager: []byte(tc.configuration)}}
			got, err := r.controllerManagerConfiguration()
			if err != nil {
				t.Fatal(err)
			}
			quotas := got.Controllers.Project.Quotas
			if len(quotas) != tc.quotas {
				t.Fatalf("quotas: %+v", quotas)
			}
			if tc.quotas == 0 {
				return
			}
			shoots := quotas[0].Config.Spec.Hard[corev1.ResourceName("count/shoots.core.gardener.cloud")]
			if shoots.Value() != tc.shoots {
				t.Errorf("shoots: %s", shoots.String())
			}
		})
	}
}
