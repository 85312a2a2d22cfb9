package kubecontroller

import "testing"

func TestSetsHaveKnownControllersOnly(t *testing.T) {
	if unknown := unknownControllers(SeedControllers()); len(unknown) > 0 {
		t.Errorf("unknown: %q", unknown)
	}
}
