package trial

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/fault"
)

var errBoom = errors.New("boom")

func TestDecide(t *testing.T) {
	sandbox, simulate := Decision{Containers: config.ContainersSandbox}, Decision{Containers: config.ContainersSimulate}
	told := Decision{Containers: config.ContainersSimulate, Reason: "no gVisor sandbox starts on this machine: boom"}
	for name, tc := range map[string]struct {
		setting string
		ran     bool
		results []error // of the trials, in order
		want    Decision
		id      fault.ID
	}{
		"simulate tries nothing":                                   {setting: config.ContainersSimulate, ran: true, want: simulate},
		"sandbox runs where one starts":                            {setting: config.ContainersSandbox, results: []error{nil}, want: sandbox},
		"sandbox never simulates":                                  {setting: config.ContainersSandbox, ran: true, results: []error{errBoom}, id: fault.Sandbox},
		"auto runs where one starts":                               {setting: config.ContainersAuto, results: []error{nil}, want: sandbox},
		"auto simulates where none starts, and says why":           {setting: config.ContainersAuto, results: []error{errBoom}, want: told},
		"containers that ran get a second trial":                   {setting: config.ContainersAuto, ran: true, results: []error{errBoom, nil}, want: sandbox},
		"containers that ran are not simulated without a decision": {setting: config.ContainersAuto, ran: true, results: []error{errBoom, errBoom}, id: fault.Fallback},
	} {
		t.Run("APP-17 "+name, func(t *testing.T) {
			tried := 0
			got, err := Decide(Question{Setting: tc.setting, Ran: tc.ran, Try: func() error {
				tried++
				return tc.results[tried-1]
			}})
			if tried != len(tc.results) {
				t.Errorf("%d trials, want %d", tried, len(tc.results))
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("decision (-want +got):\n%s", diff)
			}
			if fault.Of(err) != tc.id {
				t.Errorf("error %v", err)
			}
			if err != nil && (!errors.Is(err, errBoom) || !strings.Contains(err.Error(), "containers: simulate")) {
				t.Errorf("the error names no cause or no cure: %v", err)
			}
		})
	}
}
