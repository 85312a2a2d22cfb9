package servers

import (
	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/paths"
)

// Choice are the flags that choose the landscape in any shell of the user, each after a space; empty for the one that commands find by themselves.
func Choice(landscape string, shared paths.Shared) string {
	switch usual, err := paths.DefaultRoot(landscape); {
	case err != nil || usual != shared.Root():
		return " --state-dir " + paths.Word(shared.Root())
	case landscape != config.DefaultName:
		return " --landscape " + landscape
	}
	return ""
}
