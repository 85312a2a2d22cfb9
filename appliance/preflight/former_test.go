package preflight

import (
	"strings"
	"testing"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/local/doctor"
)

func TestFormerSettings(t *testing.T) {
	on, off := true, false
	for name, tc := range map[string]struct {
		fair  *bool
		state doctor.State
	}{
		"APP-35 a configuration without former settings is fine": {nil, doctor.OK},
		"APP-35 a former setting without effect is told":         {&off, doctor.Warning},
		"APP-35 so it is if its value is what holds now":         {&on, doctor.Warning},
	} {
		t.Run(name, func(t *testing.T) {
			got := formerSettings(&config.Landscape{Garden: config.Garden{Requests: config.Requests{PriorityAndFairness: tc.fair}}})
			if got.State != tc.state || strings.Contains(got.Message, "garden.requests.priorityAndFairness") != (tc.fair != nil) || (got.Cure == "") != (tc.fair == nil) {
				t.Errorf("found %+v", got)
			}
		})
	}
}
