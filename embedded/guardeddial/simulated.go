package guardeddial

import (
	"errors"
	"fmt"
	"net/netip"
)

// SimulatedError says that nothing can answer at an address, because the pods behind it are only simulated.
type SimulatedError struct {
	Address netip.Addr
	// Service is namespace/name of the Service that was asked for, Pod that of the pod; both are empty if they are unknown.
	Service, Pod string
}

func (e *SimulatedError) Error() string {
	switch {
	case e.Service != "":
		return fmt.Sprintf("Service %s has only simulated pods", e.Service)
	case e.Pod != "":
		return fmt.Sprintf("pod %s is simulated, so nothing answers in it", e.Pod)
	}
	return fmt.Sprintf("the address %s is one of a Service or pod of this cluster, which has only simulated pods", e.Address)
}

// NameService adds the name of the Service that was dialled, if err is about simulated pods.
func NameService(err error, service string) error {
	var simulated *SimulatedError
	if !errors.As(err, &simulated) {
		return err
	}
	return &SimulatedError{Address: simulated.Address, Service: service}
}

// NamePod does the same for a pod.
func NamePod(err error, pod string) error {
	var simulated *SimulatedError
	if !errors.As(err, &simulated) {
		return err
	}
	return &SimulatedError{Address: simulated.Address, Pod: pod}
}
