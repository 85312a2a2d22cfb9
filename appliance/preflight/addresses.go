package preflight

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/gardener-up/gardener-up/appliance/config"
	"github.com/gardener-up/gardener-up/appliance/state"
)

// frontDoors reports addresses in use that the front door or the front doors of exposure classes need. Port 0 is not
// checked, since the system chooses a free port.
func frontDoors(cfg *config.Landscape) (string, error) {
	port := *cfg.FrontDoor.Port
	if port == 0 {
		return "any free port", nil
	}
	own := cfg.FrontDoorAddress(port)
	if err := free(own, "front door", "--port or frontDoor.port"); err != nil {
		return "", err
	}
	for handler, address := range cfg.HandlerFrontDoors(port) {
		if err := free(address, fmt.Sprintf("front door of handler %q", handler), "serviceExternalIP of the handler, or frontDoor.port"); err != nil {
			return "", err
		}
	}
	return own, nil
}

// free reports an address in use as state.InUseError. purpose says what needs the address and setting which key changes it.
func free(address, purpose, setting string) error {
	err := state.Probe(address)
	if err == nil {
		return nil
	}
	if errors.Is(err, syscall.EADDRINUSE) {
		return &state.InUseError{Address: address, For: purpose, Setting: setting, Err: syscall.EADDRINUSE}
	}
	return fmt.Errorf("listen on %s for the %s: %w", address, purpose, err)
}
