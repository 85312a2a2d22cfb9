package fairness

import (
	"slices"
	"testing"

	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	"k8s.io/apiserver/pkg/apis/flowcontrol/bootstrap"
)

func TestEnable(t *testing.T) {
	levelsBefore, schemasBefore := len(bootstrap.SuggestedPriorityLevelConfigurations), len(bootstrap.SuggestedFlowSchemas)
	Enable()
	Enable()
	if got := bootstrap.SuggestedPriorityLevelConfigurations[levelsBefore:]; len(got) != 2 || got[0].Name != Landscape || got[1].Name != Tenants {
		t.Errorf("added levels are %v", got)
	}
	names := map[string]bool{}
	for _, level := range slices.Concat(bootstrap.MandatoryPriorityLevelConfigurations, bootstrap.SuggestedPriorityLevelConfigurations) {
		names[level.Name] = true
	}
	if got := bootstrap.SuggestedFlowSchemas[schemasBefore:]; len(got) != 3 {
		t.Errorf("added schemas are %v", got)
	}
	for _, schema := range bootstrap.SuggestedFlowSchemas {
		if level := schema.Spec.PriorityLevelConfiguration.Name; !names[level] {
			t.Errorf("schema %s leads to the level %q, which does not exist", schema.Name, level)
		}
		if schema.Annotations[flowcontrolv1.AutoUpdateAnnotationKey] != "true" {
			t.Errorf("schema %s is not kept up to date", schema.Name)
		}
	}
}

func TestSeats(t *testing.T) {
	for all, want := range map[int][3]int{0: {0, 0, 0}, 1: {1, 1, 1}, 60: {28, 10, 1}, 600: {280, 94, 10}} {
		if got := [3]int{seats(Tenants, all), seats(Landscape, all), seats(leaderElection, all)}; got != want {
			t.Errorf("of %d seats tenants, the landscape, and leases have %v, want %v", all, got, want)
		}
	}
}
