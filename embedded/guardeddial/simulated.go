package guardeddial

import (
	"errors"
	"fmt"
	"net/netip"
)

// SimulatedError says that nothing can answer at an address, because the pods behind it are only simulated.
type SimulatedError struct {
	Address netip.Addr
	// Service is namespace/name of the Service that has the address; empty if it is unknown.
	Service string
}

func (e *SimulatedError) Error() string {
	if e.Service == "" {
		return fmt.Sprintf("the address %s is one of a Service or pod of this cluster, which has only simulated pods", e.Address)
	}
	return fmt.Sprintf("Service %s has only simulated pods", e.Service)
}

// NameService adds the name of the Service that was dialled, if err is about simulated pods.
func NameService(err error, service string) error {
	var simulated *SimulatedError
	if !errors.As(err, &simulated) {
		return err
	}
	return &SimulatedError{Address: simulated.Address, Service: service}
}
