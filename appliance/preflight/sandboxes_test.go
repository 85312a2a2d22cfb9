package preflight

import (
	"testing"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
	"github.com/gardener-up/gardener-up/appliance/store"
	"github.com/gardener-up/gardener-up/appliance/trial"
	"github.com/gardener-up/gardener-up/local/doctor"
)

func TestSimulated(t *testing.T) {
	for name, tc := range map[string]struct {
		decision trial.Decision
		state    doctor.State
		message  string
	}{
		"a kind seed decides nothing":                {trial.Decision{}, doctor.OK, "those of the container engine"},
		"sandboxes start":                            {trial.Decision{Containers: config.ContainersSandbox}, doctor.OK, "gVisor sandboxes start"},
		"somebody has decided":                       {trial.Decision{Containers: config.ContainersSimulate}, doctor.OK, "simulated"},
		"no sandbox starts: a warning with its cure": {trial.Decision{Containers: config.ContainersSimulate, Reason: "boom"}, doctor.Warning, "simulated: boom"},
	} {
		t.Run("APP-17 "+name, func(t *testing.T) {
			f := Simulated(tc.decision)
			if f.State != tc.state || f.Message != tc.message || (f.Cure != "") != (tc.state == doctor.Warning) {
				t.Errorf("finding %+v", f)
			}
		})
	}
}

func TestDecisionIsKept(t *testing.T) {
	p, err := paths.New(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if ran, err := ranSandboxes(p); ran || err != nil {
		t.Errorf("APP-17 a new landscape: %t, %v", ran, err)
	}
	for _, want := range []bool{true, false} {
		s, err := store.Open(p.Store())
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Sandboxes().SetRan(want); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if ran, err := ranSandboxes(p); ran != want || err != nil {
			t.Errorf("APP-17 %t was kept as %t, %v", want, ran, err)
		}
	}
}
