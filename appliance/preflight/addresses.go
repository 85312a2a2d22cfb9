package preflight

import (
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

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

// answerTimeout is long enough for any machine, since the connection does not leave it.
const answerTimeout = 5 * time.Second

// reachable listens at an address of this machine and connects to it. That fails where a VPN or a firewall takes the packets.
func reachable(host string, dial func(network, address string, timeout time.Duration) (net.Conn, error)) error {
	listener, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return fmt.Errorf("listen on %s: %w", host, err)
	}
	defer listener.Close()
	conn, err := dial("tcp", listener.Addr().String(), answerTimeout)
	if err != nil {
		return fmt.Errorf("%s, an address of this machine, does not answer; a VPN or a firewall may take its range: choose another one with seed.podCIDR and seed.serviceCIDR: %w", host, err)
	}
	return conn.Close()
}
