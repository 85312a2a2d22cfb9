package own

import (
	"testing"

	"github.com/gardener-up/gardener-up/appliance/daemon"
)

func TestNamesAreTaken(t *testing.T) {
	t.Run("APP-35 the first seed is not added again", func(t *testing.T) {
		err := (&Seeds{in: Inputs{First: "local"}}).Add(t.Context(), daemon.NewSeed{Name: "local"})
		if want := `seed "local" exists already: it is the first seed of the landscape`; err == nil || err.Error() != want {
			t.Errorf("the error is %v, want %s", err, want)
		}
	})
}
