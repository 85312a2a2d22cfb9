package preflight

import (
	"cmp"
	"errors"

	"github.com/gardener-up/gardener-up/appliance/daemon"
	"github.com/gardener-up/gardener-up/appliance/fault"
	"github.com/gardener-up/gardener-up/appliance/ledger"
	"github.com/gardener-up/gardener-up/appliance/state"
	"github.com/gardener-up/gardener-up/local/doctor"
)

func problem(check string, err error) doctor.Finding {
	return doctor.Finding{Check: check, State: doctor.Problem, Message: err.Error(), Cure: cureOf(err), ID: string(cmp.Or(fault.Of(err), fault.Directory))}
}

// cureOf is what an error says about its cure beside its message. Most messages contain it.
func cureOf(err error) string {
	var inUse *state.InUseError
	if errors.As(err, &inUse) {
		return inUse.Hint()
	}
	if errors.Is(err, daemon.ErrNamespaces) {
		return daemon.NamespacesCure
	}
	if loss, ok := ledger.Lost(err); ok {
		return loss.Cure
	}
	return ""
}
